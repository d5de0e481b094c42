"""`interlock policy check` and `test`: files of policies and of test cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from interlock.cli.commands.context_options import CommandText, ContextOptions, Input
from interlock.cli.commands.options import USUAL, Store


def policy_check(file: Path, *, store: Store = USUAL) -> int:
    """Check policies; an error names the line and what to write instead.

    Parameters
    ----------
    file
        A TOML file with `[[policies]]`, such as an interlock.toml, or the same in JSON; or a folder of such files, as
        `interlock policy apply` takes it.
    """
    from interlock.cli import policy as command

    return command.check(file, store)


def policy_test(
    file: Path,
    text: CommandText = None,
    *more: Path,
    given: Input | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
    junit: Path | None = None,
    context: ContextOptions | None = None,
) -> int:
    """Run files of test cases, or show which policies of a file match one action.

    A file with `[[cases]]` is run: each case has an action and the expected verdict. Exit status: 0 if all
    cases pass, 1 if one fails. With a file of policies, one action is tried: `interlock policy test FILE 'git push'`.

    Parameters
    ----------
    file
        A file of cases, or a policy file.
    text
        A shell command to try, instead of `--tool NAME --input JSON`; or another file of cases.
    more
        More files of cases.
    json
        Write JSON.
    junit
        Write the results of the cases to this file, in the XML that CI systems read.
    """
    from interlock.cli import policy as command
    from interlock.cli import policy_cases

    if policy_cases.are_cases(file):
        files = [file, *([Path(text)] if text is not None else []), *more]
        return policy_cases.run(files, context or ContextOptions(), junit, as_json=json)
    return command.test(file, text, given or Input(), context or ContextOptions(), as_json=json)


def register(group: App) -> None:
    """Add the commands to those of `interlock policy`."""
    group.command(policy_check, name="check")
    group.command(policy_test, name="test")
