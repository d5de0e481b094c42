"""The command line. Each command imports only what it needs, as start-up time counts."""

from __future__ import annotations

import gc
import os
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status: 0 allowed, 1 an error, 2 blocked, 3 needs approval."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["hook"]:
        return _hook(words)
    _find_packages()
    if words == ["daemon"]:  # a hook waits for it
        from interlock.cli.daemon import run
        from interlock.cli.lastword import IDLE_SECONDS

        return run(IDLE_SECONDS)
    return _run(words)


def _hook(words: list[str]) -> int:
    """Run a hook. Every failure must exit with 2: an agent runs the action on any other status."""
    from interlock.cli.lastword import last_word

    try:
        return _answer(words[1:])
    except BaseException as error:
        last_word(f"{type(error).__name__}: {error}")
        return 2


def _answer(words: list[str]) -> int:
    """Answer a hook call through the daemon, or by deciding in this process."""
    from interlock.cli import call
    from interlock.cli.lastword import say, watch_closely

    if not {"--alone", "--help", "-h"}.intersection(words):
        from interlock.cli.resident import asked

        answer = asked(words, call.read())
        if answer is not None:
            status, out, errors = answer
            return say(out, errors, status)
    watch_closely()
    _find_packages()
    gc.disable()  # the process ends before a collection would pay off
    from interlock.cli.hook import alone, parse

    typed = parse(words)
    if typed is not None:
        return alone(typed)
    status = _run(["hook", *words])
    return 0 if not status and words in (["--help"], ["-h"]) else 2  # an agent runs the action on any other status


def _find_packages() -> None:
    """Add the installed packages to the path if Python was started without them (`-S`)."""
    if sys.flags.no_site:
        import site

        site.main()


def _run(words: list[str]) -> int:
    from cyclopts import CycloptsError

    from interlock.cli.app import app
    from interlock.errors import InterlockError

    try:
        _check_text(words)
        result = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except (CycloptsError, InterlockError) as error:
        complain(str(error))
        return 1
    except BrokenPipeError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return result if isinstance(result, int) else 0


def _check_text(words: list[str]) -> None:
    from interlock.errors import InterlockError

    for word in words:
        if not word.isascii() and any("\ud800" <= char <= "\udfff" for char in word):
            raise InterlockError(f"an argument is not UTF-8 text: {word[:40]!r}")


def complain(message: str) -> None:
    """Print an error, with control characters escaped."""
    from interlock.sanitise import plain

    if sys.stderr is not None:  # without it, `print` would write to standard output
        print("interlock: " + "\n".join(plain(line) for line in message.split("\n")), file=sys.stderr)


def script() -> None:
    """Run the command line as a program."""
    if sys.argv[1:2] != ["hook"]:
        sys.exit(main())
    from interlock.cli.lastword import watch

    watch(sys.argv[1:])
    os._exit(main())  # skips Python's clean-up, which could change the exit status
