"""The links of the numbers of a weekly report on a page; a file has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from interlock.model import Struct


class ReportLinks(Struct, frozen=True, kw_only=True):
    """The addresses of the actions behind the figures, days, agents and causes of a report, where there are any."""

    figures: Mapping[str, str] = {}
    days: Sequence[str] = ()
    agents: Mapping[str, str] = {}
    causes: Mapping[str, str] = {}

    def of_day(self, number: int) -> str:
        """Return the link of a day of the week, or an empty text."""
        return self.days[number] if number < len(self.days) else ""


NO_LINKS = ReportLinks()


def link_part(link: str, label: str, part: Markup) -> Markup:
    """Return a part of a chart inside a link, if there is one."""
    return Markup('<a href="{}" aria-label="{}">{}</a>').format(link, label, part) if link else part
