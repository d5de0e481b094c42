"""The languages that code can be written in, and who reads each. Analysers are imported when they are needed."""

from __future__ import annotations

from interlock.analyse.reading import Flow, Reading, Site


def _shell(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    from interlock.analyse.shell.walk import analyse_shell

    return analyse_shell(reading, text, site, stdin)


def _python(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    from interlock.analyse.python.walk import analyse_python

    return analyse_python(reading, text, site, stdin)


def _sql(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    from interlock.analyse.sql import analyse_sql

    return analyse_sql(reading, text, site, stdin)


def _mongo(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    from interlock.analyse.keyvalue import read_mongo

    return read_mongo(reading, text, site, stdin)


def _redis(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    from interlock.analyse.keyvalue import read_redis

    return read_redis(reading, text, site, stdin)


LANGUAGES = {"shell": _shell, "python": _python, "sql": _sql, "mongo": _mongo, "redis": _redis}
