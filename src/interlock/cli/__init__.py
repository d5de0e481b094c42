"""The command line. Only what a command needs is imported: the argument parser first, the rest per command."""

from __future__ import annotations

import gc
import os
import sys

#: The variable by which setuptools is told whose `distutils` to use.
_DISTUTILS = "SETUPTOOLS_USE_DISTUTILS"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status: 0 allowed, 1 a mistake, 2 blocked, 3 needs approval."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["hook"]:
        return _hook(words)
    _find_packages()
    if words == ["daemon"]:  # a hook waits for it
        from interlock.cli.daemon import run
        from interlock.cli.daemon_protocol import IDLE_SECONDS

        return run(IDLE_SECONDS)
    return _run(words)


def _hook(words: list[str]) -> int:
    """Run a hook. Agents run the action on any exit status except 2, so errors in the command line exit with 2 too."""
    from interlock.cli.fallback import refuse

    try:
        return _answer(words[1:])
    except BaseException as error:
        refuse(f"{type(error).__name__}: {error}")
        return 2


def _answer(words: list[str]) -> int:
    """Answer a hook call through the daemon, or in this process."""
    from interlock.cli.fallback import start_timer, write_answer

    if not {"--alone", "--help", "-h"}.intersection(words):
        from interlock.cli.daemon_client import ask_daemon
        from interlock.cli.hook_input import read_call

        answer = ask_daemon(words, read_call())
        if answer is not None:
            status, stdout, stderr = answer
            return write_answer(stdout, stderr, status)
    gc.disable()  # this process ends before a collection would pay off
    start_timer()
    _find_packages()
    _import_lightly()
    from interlock.cli.hook import parse_options, run_alone

    options = parse_options(words)
    if options is not None:
        return run_alone(options)
    status = _run(["hook", *words])
    return 0 if not status and words in (["--help"], ["-h"]) else 2  # an agent lets the action run at any other status


def _find_packages() -> None:
    """Make installed packages importable if Python was started with `-S`."""
    if sys.flags.no_site:
        import site

        chosen = os.environ.get(_DISTUTILS)
        os.environ[_DISTUTILS] = "stdlib"  # keeps setuptools, if it is installed, from loading its own
        try:
            site.main()
        finally:
            os.environ.pop(_DISTUTILS)
            if chosen is not None:
                os.environ[_DISTUTILS] = chosen


def _import_lightly() -> None:
    """Import the libraries that a hook needs, and install the fast finder of its modules."""
    import interlock
    from interlock.cli.compiled_modules import find_compiled_modules
    from interlock.cli.light_imports import import_libraries

    import_libraries()
    find_compiled_modules("interlock", interlock.__path__[0])


def _run(words: list[str]) -> int:
    from cyclopts import CycloptsError

    from interlock.cli.app import app
    from interlock.errors import InterlockError

    try:
        _check_text(words)
        result = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except (CycloptsError, InterlockError) as error:
        print_error(_explain_unused(error) or str(error))
        return 1
    except BrokenPipeError:  # the reader of our output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return result if isinstance(result, int) else 0


def _explain_unused(error: Exception) -> str:
    """Return an error if a command was given more arguments than it takes, or an empty text."""
    from cyclopts.exceptions import UnusedCliTokensError

    left = error.unused_tokens if isinstance(error, UnusedCliTokensError) else None
    if not left:
        return ""
    return f"unexpected argument `{left[0]}`; run the command with `--help` to see its arguments"


def _check_text(words: list[str]) -> None:
    from interlock.errors import InterlockError

    for word in words:
        if not word.isascii() and any("\ud800" <= char <= "\udfff" for char in word):
            raise InterlockError(f"an argument is not UTF-8 text: {word[:40]!r}")


def print_error(message: str) -> None:
    """Print what went wrong; nothing in it reaches the terminal as a control character."""
    from interlock.sanitise import plain

    if sys.stderr is not None:  # else it would be printed where answers are
        print("interlock: " + "\n".join(plain(line) for line in message.split("\n")), file=sys.stderr)


def script() -> None:
    """Run the command line as a program."""
    if sys.argv[1:2] != ["hook"]:
        sys.exit(main())
    from interlock.cli.fallback import install_handlers

    install_handlers(sys.argv[1:])
    os._exit(main())  # Python's own shutdown must not change the answer
