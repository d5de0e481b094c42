"""The roles of values on a command line. A kind of effect is a role too: the command has that effect on the value."""

from __future__ import annotations

from interlock.effects import KINDS

#: Role → the meaning of the value.
ROLES = {
    "data": "Text of no interest: a message, a number, a name.",
    "command": "A program with its arguments, to the end of the line. It is read as a command of its own.",
    "script": "A file that is run, followed by its own arguments.",
    "loaded": "A file, a folder or an address that code is loaded from. Several are divided by `:`.",
    "setting": "A setting of the program, `name=value`. Its name says whether the value is run or loaded.",
    "service": "The address of a server that does a part of the work: a build cache, an executor, an endpoint.",
    "endpoint": "The address of the server that a client talks to. A local one does not count.",
    "index": "The address of an index of packages. A usual one is told apart from any other.",
    "directory": "The folder that the rest of the command happens in.",
    "upload": "Data that is sent. `@name` and `field=@name` are files.",
    "assignment": "A variable for programs that start later: `NAME=value`, or a name before its value.",
    "mount": "A folder of this machine that a container may write, up to the first `:`.",
    "pattern": "A search pattern. Searching for keys is told apart from any other search.",
    "history": "A search pattern for everything that was ever committed.",
    "repository": "Where a repository is fetched from. `ext::…` is a command.",
}

#: Role of an argument of a tool → the meaning of its value.
ARGUMENT_ROLES = {
    "recipient": "Who gets something: an address, a person, a room, a list.",
    "amount": "How much money, or how many of something that costs money.",
    "visibility": "Who can see it: `public`, `anyone`, `true`.",
    "private": "Whether it is kept from others; `false` opens it.",
    "environment": "Which system it is for: `production`, `staging`, a project, a cluster.",
    "rehearsal": "Whether it is only tried: `dry_run`, `test_mode`.",
    "state": "What state it gets: `draft`, `published`, `sent`.",
    "final": "Whether it is done for good: `permanent`, `force`, `skip_trash`.",
    "count": "How many things it is done to.",
    "role": "A role, a group, a policy or rights that somebody gets.",
    "attachment": "A file that goes with it.",
    "switch": "Whether something is on or off.",
    "filter": "Which things it is done to.",
    "schedule": "When it is repeated.",
    "operation": "What is done, as a name: `delete`, `createPayout`.",
}

#: Languages of program text. `code:LANGUAGE` is a role, and `stdin` names one of them.
LANGUAGES = frozenset(
    (
        "apex applescript awk batch c crystal csharp cypher d dart ed elixir erlang fsharp ftp gdb gnuplot go groovy "
        "haskell java javascript julia kotlin lisp lua make miller mongo nim ocaml octave other perl php "
        "powershell python r redis ruby rust scala sed shell spl sql swift tcl tex tsx typescript v vim zig"
    ).split()
)

ALL_ROLES = (*ROLES, *KINDS, *(f"code:{language}" for language in sorted(LANGUAGES)))
#: The roles that an argument of a tool can have: all that are not specific to command lines.
TOOL_ROLES = ("data", *ARGUMENT_ROLES, *KINDS, *(f"code:{language}" for language in sorted(LANGUAGES)))
_KNOWN = frozenset(ALL_ROLES)


def is_role(name: str) -> bool:
    """Whether a value can have this role.

    >>> is_role("fs.read"), is_role("code:shell"), is_role("file")
    (True, True, False)
    """
    return name in _KNOWN
