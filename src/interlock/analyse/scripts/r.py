"""R: functions that are called by their names, vectors, pipes, and names in back ticks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.script import MAX_CHARS
from interlock.analyse.scripts.syntaxes.others import R
from interlock.analyse.scripts.tokens.expressions import Expressions, finish
from interlock.analyse.scripts.tokens.tokenizer import Token
from interlock.analyse.scripts.values import Ref, as_text, either, flat, unknown

#: Functions that give the function of a name.
_LOOKUPS = frozenset(
    "get get0 match.fun getFunction getFromNamespace getExportedValue as.name as.symbol dynGet mget".split()
)
#: Functions that call one of their arguments with the others.
_APPLYING = frozenset(
    "sapply lapply vapply mapply Map Reduce Filter Position Find apply tapply rapply outer Vectorize eapply by "
    "aggregate map map_chr map_lgl map_int map_dbl walk walk2 pmap imap invoke exec future_map mclapply parLapply "
    "clusterCall clusterApply purrr.map purrr.walk rlang.exec rlang.invoke withVisible".split()
)
_PIPES = frozenset({"%>%", "%<>%", "%T>%", "%!>%"})
_CAP = frozenset({"cap"})


class RScript(Expressions):
    """An R script."""

    __slots__ = ()

    def __init__(self, reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> None:
        super().__init__(reading, text, site, R, stdin)
        self.tokens = _join_operators(self.tokens)

    def call(self, value: Any, arguments: list[Any], start: Any) -> Any:
        """Call a function, by whichever way R has to name it."""
        arguments, self.given = [*self.given, *arguments], []
        name = value.name.rpartition(":")[2] if isinstance(value, Ref) else ""
        name = name.removeprefix("base.")
        if name in _LOOKUPS:
            return self._look_up_function(arguments)
        if name == "do.call" and arguments:
            return self.call(_as_function(arguments[0]), _list_of(arguments[1:]), start)
        if name in ("c", "list"):
            return flat(arguments) if name == "c" else arguments
        if name in ("assign", "delayedAssign") and len(arguments) > 1:
            held = self.names.get(as_text(arguments[0]))
            self.names[as_text(arguments[0])] = arguments[1] if held is None else either(held, arguments[1])
        if name == "rev":
            return list(reversed(flat(arguments)))
        if name == "paste":
            return _paste(arguments)
        if name == "textConnection":
            return {"text": "\n".join(as_text(one) for one in flat(arguments) if not isinstance(one, dict))}
        if name in ("source", "sys.source", "eval") and arguments and isinstance(arguments[0], dict):
            return self._run_text(arguments[0], start)
        if name in _APPLYING:
            self._apply(arguments, start)
        return super().call(value, arguments, start)

    def operator(self, mark: str, left: Any) -> Any:
        """Read `x %>% f`: a pipe into a function that stands there without brackets."""
        if mark != "|>":
            return None
        start = self.at
        self.at += 1
        self.given = [left]
        value = self.term()
        value = self.call(value, [], start) if self.given and isinstance(value, Ref) else value
        self.given = []
        return value if value is not None else ""

    def subscript(self, value: Any, key: Any) -> Any:
        """Return an element: they are counted from one, and a text is a vector of one."""
        if isinstance(value, str):
            return value
        if isinstance(value, list) and isinstance(key, int):
            return value[key - 1] if 0 < key <= len(value) else self.mix(value)
        return super().subscript(value, key)

    def member(self, value: Any, name: str) -> Any:
        """Return an element of a list by its name; the names stand behind the elements."""
        if isinstance(value, list) and value and isinstance(value[-1], dict) and name in value[-1]:
            return value[-1][name]
        return super().member(value, name)

    def call_unknown(self, value: str, arguments: list[Any], start: Any) -> Any:
        """Call a function that is not known; a text in quotes is the name of one."""
        if value and HOLE not in value and self.knows(Ref(value)):
            return super().call(Ref(value), arguments, start)
        if HOLE in value and self._could_run(arguments):
            self.opaque("a function whose name is not known", value, start)
        return super().call_unknown(value, arguments, start)

    def _could_run(self, arguments: list[Any]) -> bool:
        """Whether what a function that is not known is given could be a command: it is a text with several words."""
        return any(" " in one for one in flat(arguments) if isinstance(one, str) and HOLE not in one)

    def _look_up_function(self, arguments: list[Any]) -> Any:
        named = next((one for one in arguments if isinstance(one, str)), None)
        if named is None:
            return arguments[0] if arguments else unknown("function")
        return (
            Ref(named) if HOLE not in named and named not in self.names else self.names.get(named, unknown("function"))
        )

    def _apply(self, arguments: list[Any], start: Any) -> None:
        """Call the functions among arguments, by themselves or by their names, with each of the others."""
        values = [one for argument in arguments for one in (argument if isinstance(argument, list) else [argument])]
        for argument in arguments:
            function = _as_function(argument)
            if isinstance(function, Ref) and self.knows(function):
                for other in values:
                    if other is not argument and isinstance(other, str):
                        super().call(function, [other], start)

    def _run_text(self, given: dict[str, Any], start: Any) -> Any:
        text = given.get("text", given.get("file"))
        if isinstance(text, dict):
            text = text.get("text")
        if text is None:
            return super().call(Ref("source"), [as_text(given)], start)
        return self.code("source", "r", as_text(text), start)


def _as_function(value: Any) -> Any:
    return Ref(value) if isinstance(value, str) and HOLE not in value else value


def _list_of(arguments: list[Any]) -> list[Any]:
    """Return the arguments of `do.call`, which stand in a list."""
    first = arguments[0] if arguments else []
    return first if isinstance(first, list) else [first]


def _paste(arguments: list[Any]) -> str:
    """Join texts by `sep`, which is a space where nothing is said."""
    named = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
    separators = [named[name] for name in ("sep", "collapse") if name in named]
    separator = as_text(separators[0]) if separators else " "
    values = [one for one in flat(arguments) if not isinstance(one, dict) and one not in separators]
    return separator.join(as_text(one) for one in values)


def _join_operators(tokens: list[Token]) -> list[Token]:
    """Return tokens with `%…%` and `<<-` as one operator, and names in back ticks as names."""
    found: list[Token] = []
    for token in tokens:
        if token.text == "-" and found and found[-1].text == "<<" and found[-1].end == token.at:
            found[-1] = Token("op", "<-", found[-1].at, token.end)
            continue
        if token.kind == "text" and token.quote is not None and token.quote.close == "`":
            token = token._replace(kind="name", quote=None, at=token.at - 1, end=token.end + 1)
        found.append(token)
        if token.kind == "op" and token.text == "%":
            _close_operator(found)
    return found


def _close_operator(found: list[Token]) -> None:
    """Make one operator of the tokens since the last `%`, if nothing stands between them but other signs."""
    for size in range(2, 6):
        part = found[-size:]
        if len(part) < size or any(one.end != other.at for one, other in pairwise(part)):
            return
        if part[0].kind == "op" and part[0].text == "%":
            written = "".join(one.text for one in part)
            mark = "|>" if written in _PIPES else "%"
            found[-size:] = [Token("op", mark, part[0].at, part[-1].end)]
            return


def read_r(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read an R script."""
    if len(text) > MAX_CHARS:
        reading.unread(f"r text longer than {MAX_CHARS} characters", site, flags=_CAP)
        return UNKNOWN
    return finish(RScript(reading, text, site, stdin))
