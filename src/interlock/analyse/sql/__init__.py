"""SQL: split by its own words, and read by its tree in whichever dialect accepts it, else by its words."""

from interlock.analyse.sql.detection import looks_like_sql
from interlock.analyse.sql.reader import analyse_sql

__all__ = ["analyse_sql", "looks_like_sql"]
