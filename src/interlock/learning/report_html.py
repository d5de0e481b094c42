"""A weekly report as one HTML document: no scripts, no other files, readable in light, dark and print."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from interlock.learning.report_charts import day_chart, name_chart
from interlock.learning.report_links import NO_LINKS, ReportLinks
from interlock.learning.report_words import figure_lines, headline, title
from interlock.learning.week_report import WeekReport
from interlock.sanitise import plain

_FOLDER = Path(__file__).parent / "templates"


@cache
def _template(name: str) -> Template:
    loader = FileSystemLoader(_FOLDER)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["plain"] = lambda text: plain(" ".join(str(text).split()))
    return environment.get_template(name)


def report_body(report: WeekReport, links: ReportLinks = NO_LINKS) -> Markup:
    """Return the content of a report, for a page that has its own heading and styles, and where its numbers lead."""
    return Markup(  # noqa: S704 - the template escapes everything that it is given
        _template("report_body.html").render(
            report=report,
            headline=headline(report),
            figures=list(figure_lines(report)),
            days=day_chart(report.days, links),
            links=links,
            stopped_by=name_chart(
                report.stopped_by, "What stopped actions", has_before=report.has_before, links=links.causes
            ),
            agents=name_chart(
                report.agents, "Agents that were stopped", has_before=report.has_before, links=links.agents
            ),
        )
    )


def report_html(report: WeekReport) -> str:
    """Return a report as a document of its own."""
    style = Markup((_FOLDER / "report.css").read_text("utf-8"))  # noqa: S704 - a file of this package
    return _template("report_document.html").render(title=title(report), style=style, body=report_body(report))
