"""axe-core: which rules of accessibility a page breaks."""

from __future__ import annotations

import itertools
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

_STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_ALL_RULES = {"type": "tag", "values": _STANDARDS}
#: A theme sets colours alone, so all other rules find the same in both.
_COLOURS = {"type": "rule", "values": ["color-contrast"]}
THEMES: dict[Any, dict[str, Any]] = {"light": _ALL_RULES, "dark": _COLOURS}
WIDTHS: tuple[int, ...] = (1440, 390)
#: Whether a box that is ticked is wider than it should be, so that its label is pushed away.
_STRETCHED = "[...document.querySelectorAll('[type=checkbox], [type=radio]')].some((one) => one.offsetWidth > 40)"
#: Whether what is in a cell of a table sticks out of it, over its neighbour.
_STICKS_OUT = "[...document.querySelectorAll('td')].some((one) => one.scrollWidth > one.clientWidth + 1)"
#: Defines `axe`. The browser keeps the code of a text that it evaluates again, but not that of a new script.
_DEFINE = "(script) => { (0, eval)(script) }"
#: Only the violations leave the page: the rest of a result is large.
_RUN = "(options) => axe.run(options).then((result) => result.violations)"


def find_violations(page: Page) -> list[str]:
    """Return the violations on a page as it is shown now."""
    page.evaluate(_DEFINE, AXE_SCRIPT)
    return _run_rules(page, _ALL_RULES)


def find_all_violations(page: Page, *, each: bool = True) -> list[str]:
    """Return the violations on a page in both themes and at both widths, and what is too wide: the page, or a box.

    Without `each`, the second theme is tried at the second width alone: enough for pages that are made of known parts.
    """
    found = []
    page.evaluate(_DEFINE, AXE_SCRIPT)
    shown = itertools.product(WIDTHS, THEMES.items()) if each else zip(WIDTHS, THEMES.items(), strict=True)
    for width, (theme, rules) in shown:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        found += [f"{width} {theme}: {one}" for one in _run_rules(page, rules)]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{width}: the page is wider than the screen")
        if page.evaluate(_STRETCHED):
            found.append(f"{width}: a checkbox is stretched")
        if page.evaluate(_STICKS_OUT):
            found.append(f"{width}: a cell of a table is too narrow")
    return found


def _run_rules(page: Page, rules: dict[str, Any]) -> list[str]:
    options = {"runOnly": rules, "resultTypes": ["violations"], "selectors": False}
    violations = page.evaluate(_RUN, options)
    return [f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}" for one in violations]
