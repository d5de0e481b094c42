"""Local content: whether what a command prints, or is given, tells something about this machine and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.analyse.addresses.destinations import CARRIED
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, NOTHING, Flow
from interlock.analyse.reading import Reading
from interlock.lazy import LazyModule
from interlock.model import Effect, Place
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.memory.exposures import record_names
else:
    record_names = LazyModule("interlock.memory.exposures.record_names")

_CARRIED = frozenset({CARRIED})
#: Marks of data that comes from elsewhere, or is computed without a file.
_FOREIGN = frozenset({"download", "own_process"})
#: Effects that make a command's output local content.
_READS = frozenset(
    "fs.read secret.read env.read db.read disk.read container.read cluster.read infra.read process.run".split()
)
# Files that hold a version, a name or the list of dependencies: public, and often part of an address.
_PUBLIC = late(
    r"(?i)version|revision|release|[/.](?:nvmrc|node-version|python-version|ruby-version|tool-versions)$|\.pid$"
    r"|(?:package|lerna|composer|manifest)\.json$|(?:pyproject|Cargo)\.toml$|go\.mod$|(?:Chart|pubspec)\.ya?ml$"
    r"|/(?:tag|branch|commit|build|channel|arch)(?:\.txt)?$|urls?\.txt$|hosts?\.txt$|\.url$|/dev/(?:u?random|null|zero)$"
)
# Commands that tell who and where, and git commands that show more than a name.
_TELLING = late(
    r"(?:^|[|;&(`]\s*)(?:sudo\s+)?(?:hostname|hostnamectl|whoami|id|logname|who|w|last|ps|ifconfig|ip|pwd|ls|history|crontab|lsof|netstat|ss"
    r"|uname\s+-\w*a|env|printenv|set|groups|arp|dmidecode|lshw|system_profiler|ioreg|systeminfo)\b"
    r"|\bgit\b(?:\s+-\S+(?:\s+\S+)?)*\s+(?:diff|log|show|config|remote|archive|bundle|format-patch|blame|cat-file|grep|stash|status)\b"
)
# The last command of a pipe that leaves a number, a digest or one field of what it reads.
_SMALL = late(
    r"(?:^|\|)\s*(?:wc|stat|du|cksum|sum|md5|md5sum|sha\d+sum|shasum|b2sum|xxh\w+|date|nproc|basename|dirname|mktemp|uuidgen|test|expr"
    r"|grep\s+(?:-\w*\s+)*-\w*c\w*|jq\s+(?!.*-\w*[Rs])[^|]*\.\w[^|]*|yq\s[^|]*\.\w[^|]*|git\s+log\s+-1\b[^|]*format[^|]*|openssl\s+(?:dgst|rand)[^|]*)"
    r"(?:\s[^|]*)?$"
)


def mark_output(text: str, flow: Flow, effects: list[Effect]) -> frozenset[str]:
    """Return the marks of what a substitution prints, with `carried` if it is local content."""
    command = text.strip("$()<>` \t\n")
    if _SMALL.search(command) or (flow.marks and flow.marks <= _FOREIGN):
        return flow.marks
    reads = any(_shows_content(effect) for effect in effects)
    if not reads and not _TELLING.search(command):
        return flow.marks
    records = any(effect.resource and record_names.is_records_file(effect.resource.name) for effect in effects)
    return flow.marks | (_CARRIED | {"records"} if records else _CARRIED)


def _shows_content(effect: Effect) -> bool:
    """Whether an effect shows the content of something local."""
    if effect.kind not in _READS or "names" in effect.flags:
        return False
    return effect.kind != "fs.read" or effect.resource is None or _PUBLIC.search(effect.resource.name) is None


def input_marks(stdin: Flow, reading: Reading) -> frozenset[str]:
    """Return the marks of standard input, with `carried` if it is local content.

    Input whose text is not known comes from a file or a command, so it is local unless it was downloaded.
    """
    if stdin is NOTHING:
        return NONE
    if stdin.text is not None:
        return stdin.marks | reading.marks(stdin.text) if HOLE in stdin.text else stdin.marks
    if "download" in stdin.marks and stdin.marks <= _FOREIGN:
        return stdin.marks
    return stdin.marks | _CARRIED


def find_carried_mark(words: list[str], reading: Reading) -> frozenset[str]:
    """Return `carried` if one of the words has the output of a command in it that is local content."""
    for word in words:
        if HOLE in word and CARRIED in (marks := reading.marks(word)):
            return marks & _CONTENT
    return NONE


_OUTSIDE = frozenset({Place.HOME, Place.ROOT, Place.SYSTEM})


def path_marks(reading: Reading, path: str, cwd: str | None) -> frozenset[str]:
    """Return the marks of a file or folder whose content is sent: `carried`, and what kind of file it is."""
    if not path or path == "/dev/null":
        return NONE
    if not any(letter in path for letter in "/.~\0"):  # more likely a name than a path
        return _CARRIED
    resource, traits = reading.places.resource(path, cwd)
    marks = {CARRIED}
    if "secret" in traits:
        marks.add("secret")
    if resource.place in _OUTSIDE:
        marks.add("personal")
    elif resource.place is Place.WORKSPACE and "top" in traits:
        marks.add("workspace")
    if "rebuilt" in traits:
        marks.add("rebuilt")
    if record_names.is_records_file(resource.name):
        marks.add("records")
    return frozenset(marks) | reading.content_marks(resource.name)


_CONTENT = frozenset({CARRIED, "personal", "records"})


def content_marks(reading: Reading, path: str, cwd: str | None) -> frozenset[str]:
    """Return the marks of what a file holds: none for one with a version or the like, which is public."""
    return NONE if _PUBLIC.search("/" + path) else path_marks(reading, path, cwd) & _CONTENT
