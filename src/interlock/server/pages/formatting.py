"""Format values for pages. Everything becomes text: no markup, no control or bidirectional characters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from interlock.model import Span
from interlock.patterns import late
from interlock.sanitise import plain
from interlock.server.pages.reader_zone import exact_time, short_time
from interlock.store.clock import MICROSECONDS, format_time, now

#: Longer texts are cut.
MAX_TEXT = 100_000
_QUOTED = late(r"`([^`]*)`")


def make_visible(value: Any) -> Any:
    """Return a value as a page shows it, with characters that could forge or hide something made visible."""
    if isinstance(value, Markup) or value is None or isinstance(value, (int, float)):
        return "" if value is None else value
    return plain(str(value))


def escape_lines(text: object) -> Markup:
    """Return a text of several lines, each escaped by itself."""
    whole = str(text)
    cut = f"\n… cut here: {len(whole) - MAX_TEXT:,} characters more" if len(whole) > MAX_TEXT else ""
    return Markup("\n").join(escape(plain(line)) for line in (whole[:MAX_TEXT] + cut).split("\n"))


def highlight(text: str, spans: Iterable[Sequence[int] | Span]) -> Markup:
    """Return an escaped text with some spans of it marked."""
    marked, position = Markup(), 0
    for start, end in sorted((int(one[0]), int(one[1])) for one in spans):
        start, end = max(start, position), min(end, len(text))
        if start < end:
            before, inside = escape_lines(text[position:start]), escape_lines(text[start:end])
            marked += before + Markup("<mark>") + inside + Markup("</mark>")
            position = end
    return marked + escape_lines(text[position:])


def format_message(text: object) -> Markup:
    """Return one of Interlock's messages, with what it quotes in backticks set as code.

    >>> str(format_message("unknown role ``; write `admin`"))
    'unknown role <code>(empty)</code>; write <code>admin</code>'
    """
    escaped = str(escape(plain(str(text))))
    return Markup(_QUOTED.sub(lambda found: f"<code>{found[1] or '(empty)'}</code>", escaped))  # noqa: S704 - see above


def as_sentence(text: str) -> str:
    """Return an error as a sentence of its own: in APIs and terminals, errors follow a colon.

    >>> as_sentence("condition 1: choose a field"), as_sentence("Really?"), as_sentence("")
    ('Condition 1: choose a field.', 'Really?', '')
    """
    ends = not text or text.endswith((".", "!", "?", "…", ":"))
    return text[:1].upper() + text[1:] + ("" if ends else ".")


def time_ago(wall: int, at: int) -> str:
    """Return how long before another time something was.

    >>> time_ago(0, 5_000_000), time_ago(0, 200_000_000), time_ago(0, 7_200_000_000), time_ago(0, 200_000_000_000)
    ('just now', '3 min ago', '2 h ago', '2 days ago')
    """
    seconds = (at - wall) // MICROSECONDS
    for length, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= length * (2 if name == "days" else 1):
            return f"{seconds // length} {name} ago"
    return "just now"


def relative_time(wall: int | None) -> Markup:
    """Return how long ago a time was, with the exact time as a tooltip."""
    if wall is None:
        return Markup("–")
    return _time_element(wall, exact_time(wall), time_ago(wall, now().wall))


def clock_time(wall: int) -> Markup:
    """Return the time of day, and the date unless it is today, with the exact time as a tooltip."""
    at = now().wall
    return _time_element(wall, f"{exact_time(wall)}, {time_ago(wall, at)}", short_time(wall, at))


def _time_element(wall: int, exact: str, text: str) -> Markup:
    iso = format_time(wall).replace(" ", "T")
    return Markup('<time datetime="{}Z" title="{}">{}</time>').format(iso, exact, text)


def time_left(seconds: int) -> str:
    """Return how much time is left, as the script of the pages counts it down.

    >>> time_left(0), time_left(59), time_left(61), time_left(7_260), time_left(176_400)
    ('expired', '59 s left', '1 min 1 s left', '2 h 1 min left', '2 days 1 h left')
    """
    hours, minutes = seconds // 3_600, seconds // 60 % 60
    if seconds <= 0:
        return "expired"
    if hours >= 48:
        return f"{hours // 24} days {hours % 24} h left"
    if hours:
        return f"{hours} h {minutes} min left"
    return f"{minutes} min {seconds % 60} s left" if minutes else f"{seconds} s left"


def percent(fraction: float) -> str:
    """Return a fraction as a percentage, with one decimal if it is small.

    >>> percent(0), percent(0.00001), percent(0.0214), percent(0.5), percent(1)
    ('0%', '<0.1%', '2.1%', '50%', '100%')
    """
    if 0 < fraction < 0.0005:
        return "<0.1%"
    return f"{fraction:.1%}" if 0 < fraction < 0.1 else f"{fraction:.0%}"


def with_commas(number: float) -> str:
    """Return a whole number with thousands separators."""
    return f"{int(number):,}"


def with_unit(number: float) -> str:
    """Return a number of bytes for people.

    >>> with_unit(900), with_unit(1_500_000)
    ('900 B', '1.5 MB')
    """
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1_000 or unit == "GB":
            break
        number /= 1_000
    return f"{number:,.0f} {unit}" if unit == "B" or number >= 100 else f"{number:,.1f} {unit}"


def duration(microseconds: int | None) -> str:
    """Return how long something took, in its two largest units; from ten minutes on, seconds are left out.

    >>> duration(42_000_000), duration(92_000_000), duration(1_904_000_000), duration(93_600_000_000), duration(None)
    ('42 s', '1 min 32 s', '31 min', '1 d 2 h', '–')
    """
    if microseconds is None:
        return "–"
    seconds = microseconds // MICROSECONDS
    for size, name, below, small in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            rest = 0 if name == "min" and seconds >= 600 else seconds % size // below
            return f"{seconds // size} {name}" + (f" {rest} {small}" if rest else "")
    return f"{seconds} s"


def url_part(text: object) -> str:
    """Return a text encoded for one segment or parameter of a URL."""
    return quote(str(text), safe="")


def fingerprint(text: str) -> str:
    """Return a short digest of a text, by which a script on the page recognises it.

    >>> fingerprint("https://push.example/abc")
    'f7a263f8786e9f95'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
