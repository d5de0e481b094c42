"""Paths that a command prints and that are the same on every machine in kind: `$(npm root -g)`, `$(command -v git)`."""

from __future__ import annotations

from interlock.patterns import late

_SITE = "/usr/lib/python3/site-packages"
#: A command in a substitution, and the path that it stands for.
_PATHS = (
    (late(r"^python[\d.]*\s+-m\s+site\s+--user-site$"), "~/.local/lib/python3/site-packages"),
    (late(r"^python[\d.]*\s+-c\s.*\bgetusersitepackages\b"), "~/.local/lib/python3/site-packages"),
    (late(r"^python[\d.]*\s+-c\s.*(?:\bgetsitepackages\b|\bsysconfig\.get_path|\bget_python_lib\b)"), _SITE),
    (late(r"^python[\d.]*\s+-c\s.*\bdirname\(\s*\w[\w.]*\.__file__"), f"{_SITE}/package"),
    (late(r"^python[\d.]*\s+-c\s.*\bprint\(\s*\w[\w.]*\.__file__\s*\)"), f"{_SITE}/package.py"),
    (late(r"^npm\s+root\s+(?:-g|--global)$"), "/usr/lib/node_modules"),
    (late(r"^(?:gem\s+env\s+(?:gemdir|home)|gem\s+environment\s+gemdir)$"), "/usr/lib/ruby/gems"),
    (late(r"^go\s+env\s+GOROOT$"), "/usr/lib/go"),
    (late(r"^php-config\s+--extension-dir$"), "/usr/lib/php"),
    (late(r"^perl\s.*\bConfig\b.*(?:sitelib|privlib|sitearch|archlib)"), "/usr/lib/perl5"),
    (late(r"^(?:command\s+-v|type\s+-[pP]|readlink\s+-f\s+\$\(which)\s+([\w.+-]+)\)?$"), "/usr/bin/{}"),
    (late(r"^git\s+config\s+--get\s+core\.hooksPath$"), ".githooks"),
    (late(r"^git\s+rev-parse\s+--git-path\s+hooks$"), ".git/hooks"),
)
#: Files that `ls` lists by patterns in their names, and filters that only leave some of them out.
_LISTED = late(
    r"ls(?:\s+-[1tcurSAdv]+)*((?:\s+(?:[\w.@+-]+/)*[\w.@+-]*\*[\w.@+*-]*)+)(?:\s+2>\s*/dev/null)?"
    r"(?:\s*\|\s*(?:grep(?:\s+-[vEFiwx]+)*\s+(?:'[^']*'|[\w.@+-]+)|(?:head|tail)(?:\s+-n)?(?:\s*[-+]?\d+)?"
    r"|sort(?:\s+-[rnuV]+)*|uniq))*"
)
_STARTS = ("python", "npm r", "gem e", "go en", "php-c", "perl ", "comma", "type ", "readl", "git c", "git r")


_ROOT = late(r"git\s+rev-parse\s+--show-toplevel(?:\s+2>\s*/dev/null)?(?:\s*\|\|\s*(?:pwd|echo\s+\.))?")


def prints_project_root(command: str) -> bool:
    """Whether a command prints the folder of the repository that it runs in."""
    return command.startswith("git r") and _ROOT.fullmatch(command) is not None


def find_known_path(command: str) -> str | None:
    """Return the path that a command prints, if every machine has it in the same place, or in one of the same kind.

    >>> find_known_path("npm root -g"), find_known_path("command -v git"), find_known_path("npm root")
    ('/usr/lib/node_modules', '/usr/bin/git', None)
    """
    if command.startswith("ls "):
        listed = _LISTED.fullmatch(command)
        return listed[1].strip() if listed else None
    if not command.startswith(_STARTS):
        return None
    for pattern, path in _PATHS:
        found = pattern.search(command)
        if found is not None:
            return path.format(*found.groups())
    return None
