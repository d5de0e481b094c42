"""The environment that a script sets for the programs that it starts: their commands are read with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.loading import is_foreign_code
from interlock.analyse.scripts.values import Ref, as_text, shell_word
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

_NAME = late(r"[A-Za-z_]\w*")
_CONSTANT = late(r"[A-Z][A-Z0-9_]*")
_OPTIONS = ("env", "environment")
_FOREIGN = frozenset({"foreign"})
MAX_VARIABLES = 32


def set_variable(script: Script, name: str, value: Any) -> None:
    """Set a variable for every program that the script starts from now on."""
    if _NAME.fullmatch(name) and len(script.exported) < MAX_VARIABLES:
        script.exported[name] = as_text(value)


def set_by_text(script: Script, text: str) -> None:
    """Set a variable that is written as `NAME=value`."""
    name, mark, value = text.partition("=")
    if mark:
        set_variable(script, name, value)


def variables_of(script: Script, arguments: list[Any]) -> dict[str, str]:
    """Return the variables that one call sets for the program that it starts."""
    found: dict[str, str] = {}
    for at, argument in enumerate(arguments):
        if not isinstance(argument, dict):
            continue
        given = next((argument[name] for name in _OPTIONS if isinstance(argument.get(name), dict)), None)
        if given is None and not at and script.syntax.name == "ruby" and all(map(_CONSTANT.fullmatch, argument)):
            given = argument  # `system({"NAME" => "value"}, "command")`
        for name, value in (given or {}).items():
            if _NAME.fullmatch(name):
                found[name] = as_text(value)
    return found


def with_environment(script: Script, text: str) -> str:
    """Return a command behind the variables that it is started with."""
    settings = "; ".join(f"export {name}={shell_word(value)}" for name, value in script.exported.items())
    return f"{settings}; {text}" if settings else text


def report_shell(script: Script, arguments: list[Any], start: Any) -> None:
    """Report a shell at a foreign path: `execSync("ls", {shell: "/tmp/x"})`."""
    for argument in arguments:
        shell = argument.get("shell") if isinstance(argument, dict) else None
        if isinstance(shell, str) and HOLE not in shell and is_foreign_code(script.reading, shell, script.site.cwd):
            script.reading.file("code.run", script.where(start), shell, _FOREIGN)


def is_environment_of(script: Script, value: Any) -> bool:
    """Whether a value is the environment, whose elements are the variables of programs that are started."""
    return isinstance(value, Ref) and script.is_environment(value)
