"""Names of things that are made for a trial."""

from __future__ import annotations

from functools import lru_cache

from interlock.patterns import late

_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TRIAL = frozenset(
    "test tests testing testdb testdata unittest unittests pytest tmp temp temporary scratch sandbox dummy throwaway "
    "playground e2e ephemeral fixture fixtures".split()
)
#: Words that say that something is in use.
REAL = frozenset("prod production prd live master main customer customers".split())
#: Last words of names that say what was measured: `test_results` is data.
_MEASURED = frozenset("result results run runs score scores case cases report reports history readings reading".split())


@lru_cache(maxsize=1024)
def is_scratch_name(name: str) -> bool:
    """Whether a name says that the thing is for a trial, by its first or last word.

    >>> is_scratch_name("shop_test"), is_scratch_name("tmp_import"), is_scratch_name("test_results")
    (True, True, False)
    """
    name = name.rpartition(".")[2].rpartition("/")[2]
    if name.startswith(("#", "pg_temp")):
        return True
    words = [word.lower() for word in _WORDS.findall(name) if not word.isdigit()]
    if not words or not REAL.isdisjoint(words) or words[-1] in _MEASURED:
        return False
    return words[0] in _TRIAL or words[-1] in _TRIAL or (len(words) > 1 and words[-2] in _TRIAL)
