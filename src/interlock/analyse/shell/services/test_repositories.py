"""Repositories of test frameworks and test suites that projects clone to run their own tests."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import TestRepositories
from interlock.patterns import late

_KNOWN = frozenset(
    f"{owner}/{name}".lower()
    for owner, names in read_table("test-repositories", TestRepositories).repositories.items()
    for name in names
)
_ADDRESS = late(r"(?:https://github\.com/|git@github\.com:|ssh://git@github\.com/)([\w.-]+/[\w.-]+?)(?:\.git)?/?$")


def is_test_repository(address: str) -> bool:
    """Whether an address is that of a well-known test framework or test suite.

    >>> is_test_repository("https://github.com/bats-core/bats-core.git")
    True
    >>> is_test_repository("https://github.com/someone/bats-core"), is_test_repository("http://github.com/yaml/x")
    (False, False)
    """
    found = _ADDRESS.match(address)
    return found is not None and found[1].lower() in _KNOWN
