"""SQL: split into statements, then read by syntax tree if a dialect parses them, and by keywords."""

from interlock.analyse.sql.detection import begins_like_sql, looks_like_sql
from interlock.analyse.sql.reader import analyse_sql

__all__ = ["analyse_sql", "begins_like_sql", "looks_like_sql"]
