"""`interlock knowledge`: what is known about programs, tools and functions, and descriptions of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter, validators

from interlock.cli.commands.options import USUAL, Flag, Store

group = App(
    name="knowledge",
    help="Look up what Interlock knows about programs, functions and tools, and check descriptions of your own.\n\n"
    "Your descriptions go into `~/.interlock/knowledge/*.toml`; docs/knowledge.md explains how to write one.",
)


@group.command(name="show")
def knowledge_show(name: str, /, *commands: str, source: Flag = False) -> int:
    """Show what is known about a program, one of its commands, a function, or a tool.

    Examples: `interlock knowledge show git push`, `interlock knowledge show os.rename`, `interlock knowledge show
    mcp__github__create_issue`.

    Parameters
    ----------
    name
        The program, a function of a language's library, or a tool.
    commands
        Its subcommands, as on the command line.
    source
        Print the file that describes it.
    """
    from interlock.cli import knowledge_show as command

    return command.show(name, commands, source=source)


@group.command(name="draft")
def knowledge_draft(
    name: str,
    /,
    *,
    out: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    days: Annotated[int, Parameter(validator=validators.Number(gte=1, lte=366))] = 90,
    store: Store = USUAL,
) -> int:
    """Draft the description of an unknown program or tool from its calls on record, for you to fill in.

    Examples: `interlock knowledge draft shipit`, `interlock knowledge draft mcp__acme__refund --out refund.toml`.

    The draft has the commands, options and arguments that were seen, and no values. It changes no verdict: you say what
    each command does, remove `draft = true`, and move the file to `~/.interlock/knowledge`.

    Parameters
    ----------
    name
        The program or tool, as `interlock coverage` lists it.
    out
        The file to write, by default NAME.toml in this folder; `-` prints the draft. An existing file is kept.
    days
        How many days of calls to look at.
    """
    from interlock.cli import knowledge_draft as command

    return command.draft(name, out, days, store)


@group.command(name="check")
def knowledge_check(*files: Path) -> int:
    """Check descriptions: every word is known, and every example has exactly the effects that it names.

    All mistakes of a file are named. A program needs an example of what it does and one of a call that passes; a tool,
    a function or a cmdlet needs one of its own.
    Exit status: 0 all is well, 1 a file has a mistake or lacks an example, or an example does not hold.

    Parameters
    ----------
    files
        TOML files that describe a program, tools or functions, or folders of such files; by default your own in
        `~/.interlock/knowledge`.
    """
    from interlock.cli import knowledge_check as command

    return command.check(files)


@group.command(name="list")
def knowledge_list(word: str = "", /, *, yours: Flag = False, unchecked: Flag = False) -> int:
    """List the programs, functions and tools that are known, by topic.

    Parameters
    ----------
    word
        Only names and topics that contain this text.
    yours
        Only your own descriptions.
    unchecked
        Only descriptions that have not been compared with the program's manual, option by option.
    """
    from interlock.cli import knowledge as command

    return command.list_programs(word, yours=yours, unchecked=unchecked)


@group.command(name="words")
def knowledge_words(word: str = "", /) -> int:
    """List the words of the notation: kinds of effects, flags and roles, each with what it means.

    Parameters
    ----------
    word
        Only words that begin with this text, or whose meaning contains it.
    """
    from interlock.cli import knowledge as command

    return command.words(word)
