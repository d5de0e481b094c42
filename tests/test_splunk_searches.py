"""Searches of Splunk: commands that only look at events, and those that change, send or reveal something."""

from __future__ import annotations

import pytest

from interlock import Action, Engine

ENGINE = Engine()

LOOKING = [
    "index=main error | stats count by host",
    "| tstats count where index=* by index",
    '| makeresults | eval text="| delete"',
    "index=main [search index=vip | fields user] | table user",
    "| rest /services/server/info | table version",
    '| inputlookup hosts.csv | where region="eu"',
    "index=main | outputlookup append=true seen_hosts.csv",
    "index=main | collect index=summary",
]
DOING = [
    "index=main | delete",
    "index=main | OUTPUTLOOKUP users.csv",
    'index=main | sendemail to="ann@example.com"',
    "| rest /services/storage/passwords | table clear_password",
    '| rest "/servicesNS/-/-/storage/passwords"',
    "| script python cleanup host=$host$",
    '| inputlookup hosts.csv | map search="search index=$index$ | delete"',
    "index=main [search index=vip | outputcsv vip.csv]",
]


def is_allowed(query: str) -> bool:
    return ENGINE.decide(Action(tool_name="mcp__splunk__search_splunk", input_payload={"search_query": query})).allowed


@pytest.mark.parametrize("query", LOOKING)
def test_a_search_that_looks_passes(query: str) -> None:
    assert is_allowed(query)


@pytest.mark.parametrize("query", DOING)
def test_a_search_that_does_something_asks(query: str) -> None:
    assert not is_allowed(query)
