"""`interlock policy test` with files of cases: a line for each case, what differs, and a summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import msgspec
from rich.text import Text

from interlock.cli.decision_options import config_from
from interlock.errors import InterlockError
from interlock.policies.cases import CaseFile, CaseResult, is_case_file
from interlock.sanitise import plain
from interlock.show import console

if TYPE_CHECKING:
    from interlock.cli.commands.context_options import ContextOptions


def are_cases(file: Path) -> bool:
    """Whether a file holds cases; one that cannot be read is reported when it is used."""
    try:
        return is_case_file(file)
    except InterlockError:
        return False


def run(files: list[Path], context: ContextOptions, junit: Path | None, *, as_json: bool) -> int:
    """Run the cases of files, and print their results."""
    results = {file: list(CaseFile(file, config_from(context)).run()) for file in files}
    if junit is not None:
        _write_junit(results, junit)
    if as_json:
        for file, found in results.items():
            for one in found:
                print(msgspec.json.encode(_as_json(file, one)).decode())
    else:
        _show(results)
    return 1 if any(one.differences for found in results.values() for one in found) else 0


def _show(results: dict[Path, list[CaseResult]]) -> None:
    out = console()
    for file, found in results.items():
        for one in found:
            mark = Text("  ✗ ", "bold red") if one.differences else Text("  ✓ ", "green")
            out.print(mark + Text(plain(one.case.name)))
            for difference in one.differences:
                out.print(Text(f"      {file}:{one.line}: {plain(difference)}", "red"))
    every = [one for found in results.values() for one in found]
    failed = sum(bool(one.differences) for one in every)
    out.print(f"\n  {len(every) - failed} passed, {failed} failed")


def _as_json(file: Path, result: CaseResult) -> dict[str, object]:
    return {
        "file": str(file),
        "line": result.line,
        "name": result.case.name,
        "passed": not result.differences,
        "differences": list(result.differences),
        "verdict": result.decision.verdict.value,
    }


def _write_junit(results: dict[Path, list[CaseResult]], target: Path) -> None:
    """Write results as JUnit XML: a suite for each file."""
    root = ElementTree.Element("testsuites")
    for file, found in results.items():
        failed = sum(bool(one.differences) for one in found)
        suite = ElementTree.SubElement(
            root, "testsuite", name=str(file), tests=str(len(found)), failures=str(failed), errors="0"
        )
        for one in found:
            case = ElementTree.SubElement(suite, "testcase", classname=str(file), name=plain(one.case.name))
            if one.differences:
                said = plain("; ".join(one.differences))
                ElementTree.SubElement(case, "failure", message=said).text = f"{file}:{one.line}: {said}"
    try:
        ElementTree.ElementTree(root).write(target, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise InterlockError(f"`{target}` cannot be written: {error.strerror}") from None
