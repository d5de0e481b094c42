"""The functions of makefiles: `$(shell …)`, `$(call …)`, `$(foreach …)` and the rest."""

from __future__ import annotations

from interlock.analyse.scripts.make_words import WORDS, compute_words
from interlock.analyse.scripts.makefile import MAX_TEXT, Makefile, MakeFunction, substitute
from interlock.analyse.scripts.values import shell_text


def split_arguments(text: str, most: int = 0) -> list[str]:
    """Return the arguments of a function, which commas part outside brackets.

    >>> split_arguments("a,$(call b,c),d")
    ['a', '$(call b,c)', 'd']
    """
    found: list[str] = []
    depth = start = 0
    for at, char in enumerate(text):
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0 and (not most or len(found) < most - 1):
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def _run(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    return makefile.run(makefile.expand(text, automatic, depth))


def _eval(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    makefile.read(makefile.expand(text, automatic, depth))
    return ""


def _call(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    name, *given = (makefile.expand(one, automatic, depth) for one in split_arguments(text))
    known = makefile.variables.get(name.strip())
    if known is None:
        return ""
    numbered = {**(automatic or {}), "0": name, **{str(at): one for at, one in enumerate(given, 1)}}
    return makefile.expand(known[0], numbered, depth)


def _foreach(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    name, words, body = [*split_arguments(text, 3), "", ""][:3]
    given, items = automatic or {}, makefile.expand(words, automatic, depth).split()[:32]
    return " ".join(makefile.expand(body, {**given, name.strip(): word}, depth) for word in items)


def _both(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    """`$(if a,b,c)`, `$(or …)`, `$(and …)`: everything is expanded; what it is, is the first that is not empty."""
    given = [makefile.expand(one, automatic, depth) for one in split_arguments(text)]
    return next((one for one in given[1:] or given if one.strip()), "")


def _same(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    return makefile.expand(split_arguments(text)[-1], automatic, depth).strip()


def _on_words(name: str) -> MakeFunction:
    """Return the function that computes one of the functions on words, or gives its last argument."""

    def read(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
        given = [makefile.expand(one, automatic, depth) for one in split_arguments(text)]
        found = compute_words(name, given)
        return found if found is not None else given[-1].strip()

    return read


def _subst(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    old, new, body = [*(makefile.expand(one, automatic, depth) for one in split_arguments(text, 3)), "", ""][:3]
    return body.replace(old, new) if old and len(body) * max(len(new), 1) < MAX_TEXT else body


def _patsubst(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    old, new, body = [*(makefile.expand(one, automatic, depth) for one in split_arguments(text, 3)), "", ""][:3]
    return " ".join(substitute(word, old.strip(), new.strip()) for word in body.split())


def _affix(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    affix, body = [*(makefile.expand(one, automatic, depth) for one in split_arguments(text, 2)), ""][:2]
    return " ".join(affix + word for word in body.split()[:256])


def _suffix(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    affix, body = [*(makefile.expand(one, automatic, depth) for one in split_arguments(text, 2)), ""][:2]
    return " ".join(word + affix for word in body.split()[:256])


def _file(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    """`$(file > name,text)` writes a file; `$(file < name)` is what it holds."""
    target, body = [*(makefile.expand(one, automatic, depth) for one in split_arguments(text, 2)), ""][:2]
    if target.strip().startswith("<"):
        return makefile.run(f"cat {target.strip()[1:].strip()}")
    if target.strip().startswith(">"):
        quoted = body.replace("'", "'\\''")
        makefile.run(f"printf '%s\\n' '{quoted}' {target.strip()}")
    return ""


def _let(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    """`$(let a b,1 2 3,body)`: each name holds a word, and the last one the rest."""
    names, words, body = [*split_arguments(text, 3), "", ""][:3]
    wanted = makefile.expand(names, automatic, depth).split()
    items = makefile.expand(words, automatic, depth).split(maxsplit=max(len(wanted) - 1, 0))
    bound = {name: items[at] if at < len(items) else "" for at, name in enumerate(wanted)}
    return makefile.expand(body, {**(automatic or {}), **bound}, depth)


def _guile(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    """`$(guile …)` is code of Scheme."""
    return makefile.run(shell_text(["guile", "-c", makefile.expand(text, automatic, depth)]))


def _value(makefile: Makefile, text: str, _automatic: dict[str, str] | None, _depth: int) -> str:
    return makefile.variables.get(text.strip(), ("", True))[0]


def _nothing(makefile: Makefile, text: str, automatic: dict[str, str] | None, depth: int) -> str:
    makefile.expand(text, automatic, depth)
    return ""


FUNCTIONS: dict[str, MakeFunction] = {
    "shell": _run,
    "eval": _eval,
    "call": _call,
    "foreach": _foreach,
    "file": _file,
    "value": _value,
    "let": _let,
    "guile": _guile,
    "subst": _subst,
    "patsubst": _patsubst,
    "addprefix": _affix,
    "addsuffix": _suffix,
    **dict.fromkeys(("if", "or", "and"), _both),
    **{name: _on_words(name) for name in WORDS},
    **dict.fromkeys(("info", "warning", "error", "origin", "flavor"), _nothing),
    **dict.fromkeys(
        "wildcard dir suffix basename findstring realpath abspath".split(),
        _same,
    ),
}
