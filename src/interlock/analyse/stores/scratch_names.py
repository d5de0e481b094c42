"""Names of test databases, topics, queues and the like."""

from __future__ import annotations

from functools import lru_cache

from interlock.patterns import late

_WORDS = late(r"(?<![A-Za-z0-9])[Ee]2[Ee](?![A-Za-z0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
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
    """Whether a name is that of test data, by its first or last word.

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


#: Words that end with `test` but say nothing of a test.
_NO_TESTS = ("latest", "contest", "protest", "attest", "greatest", "fastest", "detest", "longest", "newest", "oldest")
_REGRESSION = frozenset({"contrib_regression", "regression", "pl_regression", "isolation_regression"})


def is_named_as_test(name: str) -> bool:
    """Whether the name of a database on a development server ends with `test`, or is that of a regression test.

    >>> is_named_as_test("ibantest"), is_named_as_test("contrib_regression"), is_named_as_test("latest")
    (True, True, False)
    """
    plain = name.lower()
    if plain in _REGRESSION:
        return True
    words = {word.lower() for word in _WORDS.findall(name)}
    return REAL.isdisjoint(words) and plain.endswith("test") and not plain.endswith(_NO_TESTS)


_SEGMENTS = late(r"[/.:]+")
_SPECIAL = late(r"[*+?\[\](){}^$\\\0]")


@lru_cache(maxsize=1024)
def is_scratch_thing(text: str) -> bool:
    """Whether the name of a topic, a queue, a bucket or a key says that it is for a trial, by one of its parts.

    A list counts if all of it does, and a pattern if all that it matches begins with a word for a trial.

    >>> is_scratch_thing("test.orders"), is_scratch_thing("persistent://public/tmp/jobs"), is_scratch_thing("test-.*")
    (True, True, True)
    >>> is_scratch_thing("orders"), is_scratch_thing("prod/test"), is_scratch_thing("test|orders")
    (False, False, False)
    """
    names = [name for name in text.replace("|", ",").split(",") if name]
    return bool(names) and all(_is_scratch_part(name) for name in names)


def _is_scratch_part(name: str) -> bool:
    known = _SPECIAL.split(name.rpartition("://")[2].lstrip("^"), maxsplit=1)[0]
    segments = [part for part in _SEGMENTS.split(known) if part]
    words = {word.lower() for part in segments for word in _WORDS.findall(part)}
    return REAL.isdisjoint(words) and any(is_scratch_name(part) for part in segments)
