"""Statements that exhaust a server: endless loops, products of tables, and texts or rows beyond any use.

Short waits do not count: a test of a timeout may call `pg_sleep(1)`.
"""

from __future__ import annotations

from interlock.patterns import late

_SERIES = late(r"(?i)\b(?:generate_series|generate_array|numbers|range)\s*\(\s*(?:-?\d+\s*,\s*)?(\d+)")
_BOUNDED = late(r"(?i)\b(?:where|limit|join|having)\b")
_LENGTHS = late(
    r"(?i)\b(?:repeat|replicate|[lr]pad|space|randomblob|zeroblob|gen_random_bytes)\s*\((?:[^()]|\([^()]*\)){0,200}?(\d+)\s*(?:,\s*'[^']*')?\)"
)
_PRODUCT = late(
    r"(?is)\bfrom\s+((?:[\w.\"`\[\]]+(?:\s+(?:as\s+)?(?!cross\b)\w+)?\s*(?:,|cross\s+join)\s*){3,})[\w.\"`\[\]]+"
)
_NARROWED = late(r"(?i)\b(?:where|on|using|limit|top|fetch|sample|tablesample)\b")
_LOOP = late(r"(?i)\bwhile\s*\(?\s*(?:1\s*=\s*1|true|1)\b\s*\)?|(?:^|\bbegin\s+|;\s*)(?:<<\w+>>\s*)?loop\b")
_LEAVING = late(r"(?i)\b(?:break|exit|leave|return|raise|throw|waitfor|sleep|goto|for)\b")
_WAIT = late(
    r"(?i)\b(?:pg_sleep|sleep|dbms_lock\.sleep|dbms_session\.sleep)\s*\(\s*([\d.]+)\s*\)"
    r"|\bbenchmark\s*\(\s*(\d+)\s*,|\bwaitfor\s+delay\s+'0?0:0?0:0?([\d.]+)'|\bpg_sleep_for\s*\(\s*'([\d.]+)\s*s(?:ec\w*)?'\s*\)"
)
_WAITING = late(r"(?i)\b(?:pg_sleep\w*|sleep|benchmark|waitfor|receive_message|get_lock|pg_advisory_lock)\b")
#: So many rows are more than anyone computes for a result.
MOST_ROWS = 1_000_000_000
MOST_BYTES = 100_000_000_000
LONGEST_TEXT = 500_000_000
#: Seconds, and rounds of a benchmark, that hold up nobody.
SHORT_WAIT = 5
FEW_ROUNDS = 100_000


def is_endless(text: str) -> bool:
    """Whether a statement computes without an end, or far more than anyone can use.

    >>> is_endless("SELECT * FROM a CROSS JOIN b CROSS JOIN c CROSS JOIN d"), is_endless("SELECT * FROM a, b, c")
    (True, False)
    """
    rows = 1
    for found in _SERIES.finditer(text):
        rows *= max(1, int(found[1][:18]))
    longest = max((int(found[1][:18]) for found in _LENGTHS.finditer(text)), default=1)
    if rows >= MOST_ROWS or longest >= LONGEST_TEXT or rows * longest >= MOST_BYTES:
        return True
    if _is_product(text) or _is_loop(text):
        return True
    lowered = text.lower()
    start = lowered.find("recursive")
    step = lowered.find("union all", start) if start >= 0 else -1
    return step >= 0 and _BOUNDED.search(_rest_of_brackets(text[step:])) is None


def is_short_wait(text: str) -> bool:
    """Whether all that a statement waits is over in a few seconds.

    >>> is_short_wait("SELECT pg_sleep(1)"), is_short_wait("SELECT pg_sleep(1) FROM orders")
    (True, False)
    """
    waits = list(_WAIT.finditer(text))
    if not waits or len(waits) != len(_WAITING.findall(text)) or " from " in text.lower():
        return False
    return all(
        int(found[2]) <= FEW_ROUNDS if found[2] else float(found[1] or found[3] or found[4]) <= SHORT_WAIT
        for found in waits
    )


def _is_product(text: str) -> bool:
    """Whether every row of four or more tables is combined with every other."""
    found = _PRODUCT.search(text)
    return found is not None and _NARROWED.search(text, found.start()) is None


def _is_loop(text: str) -> bool:
    """Whether a block loops without an end, and nothing leaves it or waits."""
    found = _LOOP.search(text)
    return found is not None and _LEAVING.search(text, found.start()) is None


def _rest_of_brackets(text: str) -> str:
    """Return the text up to the bracket that closes one before it."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return text[:at]
    return text
