"""SQL: split by its own words, read through sqlglot in whichever dialect accepts it, and by its words where none does."""

from interlock.analyse.sql.read import analyse_sql
from interlock.analyse.sql.shape import looks_like_sql

__all__ = ["analyse_sql", "looks_like_sql"]
