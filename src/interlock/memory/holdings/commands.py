"""Mentions: which files a command, a document or a call takes something from, and which it puts something into."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from interlock.effects import TOOL_KINDS
from interlock.memory.exposures.private_names import (
    is_confidential,
    is_example,
    pattern,
    source_kind,
    sources,
)
from interlock.memory.holdings.browser_pages import find_pages
from interlock.memory.holdings.propagation import BUILT, CLIPBOARD, COMMITS, RENDERED
from interlock.memory.holdings.tables import made_tables, reads_people, tables_read
from interlock.memory.holdings.templates import find_templates, renders
from interlock.memory.holdings.tool_calls import find_call_names
from interlock.memory.model import Exposure, ExposureKind, Mentions
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

MAX_PATHS, MAX_PATH, MAX_TEXT, MAX_SEGMENTS = 10, 160, 20_000, 8
_CLIPBOARD = late(r"\b(?:xclip|xsel|pbcopy|wl-copy|clip(?:\.exe)?|Set-Clipboard|tmux (?:load|set)-buffer)\b")
_PASTED = late(r"\b(?:xclip\b[^\n|]{0,60} -o|xsel -o|pbpaste|wl-paste|Get-Clipboard|tmux (?:show|save|paste)-buffer)\b")
_STORED = late(r"store --file[= ](?P<path>[^\s'\";|&]{2,160})")
_WORD = late(r"[^\s\"'`;|&<>()=,\[\]]{2,200}")
_QUOTED_PATH = late(r"[\"'`(](?P<path>[^\"'`\s()]{3,160})[\"'`)]")
_PATH = late(r"(?:~|\.{1,2})?/?[\w.@%+*-]+(?:/[\w.@%+*~ -]*)*")
#: A path with spaces between quotes.
_SPACED = late(r"'[\w./~ -]{1,120} [\w./ -]{0,100}\.\w{1,8}'|\"[\w./~ -]{1,120} [\w./ -]{0,100}\.\w{1,8}\"")
_ENDING = late(r"\.[A-Za-z]\w{0,9}\*?$")
_RECORDED = late(r"--record-mode[= ](?!none)\w+")
_CASSETTES = "tests/cassettes"
_OUTPUT = late(
    r"(?:^|\s)(?:-o|-O|--out|--output|--output-file|--outfile|--dest|--save-storage|--trace-ascii|--trace)"
    r"[= ]\s*(?P<path>[^\s;|&<>\"'-][^\s;|&<>\"']{1,160})"
    r"|\bto\s+['\"](?P<copied>[^\s'\"]{3,160})['\"]"
    r"|(?<![0-9&-])>{1,2}\s*(?P<to>[^\s;|&<>()\"'$]{2,160})"
)
_HEREDOC = late(r"(?s)<<-?\s*['\"]?(?P<end>\w+)['\"]?(?P<line>[^\n]*)\n.*?(?:\n[ \t]*(?P=end)\b|$)")
_SEGMENTS = late(r"&&|\|\||;|\n")
_GROUP = late(r"\([^()]{0,2000}\)|\"[^\"]{0,2000}\"|'[^']{0,2000}'")
#: Programs that change files in place, remove them or run in containers: nothing gets from one file into another.
_WITHOUT_OUTPUT = frozenset(
    "sed rm mkdir touch chmod chown ls wc grep rg find docker kubectl cd export echo test pytest git gh".split()
)
#: Documents that programs turn into others: what they read is in the result.
_DOCUMENTS = (".qmd", ".rmd", ".ipynb", ".rnw", ".org", ".tex", ".typ", ".j2", ".hbs", ".mdx")
_LISTS = (".list", ".lst", ".files", ".txt", ".manifest")
_PUSHING = late(r"\bgit\b[^\n]{0,60} push\b")
_COMMITTING = late(r"\bgit\b[^\n]{0,60}\b(?:add|commit|stage)\b")
#: A message of a commit, a tag or a note that is taken from a file.
_MESSAGE = late(r"\bgit\b[^\n]{0,60}\b(?:notes|tag|commit)\b[^\n]{0,120}\s(?:-F|--file)[ =]")
_ASSIGNED = late(r"(?:export |declare -x |local )?(?P<name>[A-Za-z_]\w*)=[^\n]*\$\(")
_ELSEWHERE = late(r"git -C (?P<folder>\S{1,160}) ")
_VARIABLE = late(r"\$\{?(?P<name>[A-Za-z_]\w*)")
_PACKED = late(r"\bgit\b[^\n]{0,60}\b(?:bundle create|format-patch|archive)\b")
_INTERPRETERS = frozenset("Rscript python python3 node ruby perl julia deno".split())
_INTO = late(r"\bx\w*\b[^\n]{0,200} -C ?(?P<folder>[^\s;|&]{2,160})")
_NOTHING_NEW = frozenset({"new", "in_place"})
_CODE_ARGUMENT = late(r"\s-(?:c|e|p|m)\s+(?:\"[^\"]*\"|'[^']*')|<<.*")
#: Languages whose texts are one command each.
_WHOLE = frozenset({"python", "sql"})
_WITH_FOLDERS = frozenset("git zip tar cp mv rsync 7z 7za install scp".split())
_VERBS = frozenset("add commit bundle create format-patch push main master origin HEAD a x u".split())
_ALL = late(r"\badd (?:-A|--all|\.)(?:\s|$)|\bcommit\b[^\n]{0,30} -\w*a")
#: Arguments of tools that name the file which is written, and where something is put on this machine.
_OWN = ("file_path", "path", "notebook_path")
_SAVED = ("save_to", "save_as", "output_path", "target_dir", "download_path")
_READING_KINDS = frozenset({"tool.read", "fs.read", "process.run", "out.print"})


def find_mentions(action: Action, analysis: Analysis, exposures: Iterable[Exposure]) -> tuple[Mentions, ...]:
    """Return the files that the commands of an action take something from and put something into."""
    pages = tuple(find_pages(action)) if not analysis.languages else ()
    if pages:
        return pages
    given = action.input_payload
    own = next((given[key] for key in _OWN if isinstance(given.get(key), str)), "")
    templates = tuple(find_templates(analysis))
    if own:
        return (*_in_document(action, analysis, own), *templates)
    saved = next((given[key] for key in _SAVED if isinstance(given.get(key), str)), "")
    if saved and "shell" not in analysis.languages:
        outputs = (full_path(saved, action),)
        private = any(one.kind is ExposureKind.PRIVATE for one in exposures) or "attachment" in action.tool_name
        return (Mentions((), outputs, "private"),) if private else ()
    if analysis.effects and analysis.effects[0].kind in TOOL_KINDS:
        return tuple(find_call_names(action, analysis))
    found = (
        _in_segment(segment, folder, action, analysis, exposures) for folder, segment in segments_of(action, analysis)
    )
    return (*(one for one in found if one is not None), *templates)[:MAX_SEGMENTS]


def find_confidential(action: Action, analysis: Analysis) -> Iterator[Exposure]:
    """Yield an exposure if an action reads what is confidential by its name."""
    if not analysis.effects or analysis.effects[0].kind not in _READING_KINDS:
        return
    texts = [value for _, value in leaves(action.input_payload) if isinstance(value, str)]
    if analysis.effects[0].kind != "tool.read":
        texts = [
            *(path for path in paths_of(action, analysis)),
            *(text for text in texts if "\n" not in text and " " not in text),
        ]
    found = next((text for text in texts if is_confidential(text)), None)
    if found is not None:
        yield Exposure(
            ExposureKind.CONFIDENTIAL,
            quotable(f"{action.tool_name} {found}" if analysis.effects[0].kind == "tool.read" else found),
        )


def segments_of(action: Action, analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield the commands of an action, each with its folder and with what it is piped into; code is one segment."""
    text, folder = analysis.text[:MAX_TEXT], action.cwd or ""
    if "shell" not in analysis.languages:
        if not _WHOLE.isdisjoint(analysis.languages):
            yield folder, text
        return
    plain = _GROUP.sub(lambda found: _SEGMENTS.sub(" , ", found[0]), _HEREDOC.sub(r"\g<line>", text))
    for part in _SEGMENTS.split(plain):
        segment = part.strip()
        if segment.startswith("cd "):
            folder = _normal(_join_path(segment[3:].strip().strip("'\""), folder), action)
        elif segment:
            yield folder, segment


def _in_document(action: Action, analysis: Analysis, own: str) -> Iterator[Mentions]:
    """Yield what a document takes in that is not for everyone, when it is turned into another one."""
    if not own.lower().endswith((*_DOCUMENTS, *_LISTS)) or not any(one.kind == "fs.write" for one in analysis.effects):
        return
    given = action.input_payload
    text = next((given[key] for key in ("content", "new_string", "new_source") if isinstance(given.get(key), str)), "")
    if own.lower().endswith(_LISTS):
        lines = [line.strip() for line in text[:MAX_TEXT].split("\n")]
        paths = (full_path(line, action) for line in lines if line and " " not in line and _PATH.fullmatch(line))
        inputs = tuple(dict.fromkeys(path for path in paths if source_kind(path, action)))[:MAX_PATHS]
    else:
        inputs = tuple(dict.fromkeys(_quoted_paths(text[:MAX_TEXT], own.rpartition("/")[0], action)))[:MAX_PATHS]
    yield Mentions(inputs, (full_path(own, action),), _strictest(source_kind(path, action) for path in inputs))


def _in_segment(
    segment: str, folder: str, action: Action, analysis: Analysis, exposures: Iterable[Exposure]
) -> Mentions | None:
    """Return the files that one command takes something from and puts something into, if it does both."""
    elsewhere = _ELSEWHERE.match(segment)
    if elsewhere:
        folder = _normal(_join_path(elsewhere["folder"], folder), action)
    is_shell = "shell" in analysis.languages
    named = tuple(dict.fromkeys(_words_of(segment, folder, action)))[:MAX_PATHS] if is_shell else ()
    if _PUSHING.search(segment):
        return Mentions(pushes=True)
    if _PACKED.search(segment):
        return Mentions((COMMITS, *named), named, "private" if "bundle" in segment else "")
    if _MESSAGE.search(segment):
        return Mentions(named, (), _strictest(source_kind(path, action) for path in named), commits=True)
    if _COMMITTING.search(segment):
        outer = [path for path in named if not path.startswith(f"{action.workspace or action.cwd}/")]
        holds = _strictest(source_kind(path, action) for path in outer)
        return Mentions((folder,) if _ALL.search(segment) else named, (), holds, commits=True)
    if pattern("builds").match(segment):
        return Mentions((folder,), (BUILT,), "")
    outputs = tuple(dict.fromkeys(_outputs_of(segment, folder, named, action, analysis)))[:MAX_PATHS]
    assigned = _ASSIGNED.match(segment)
    if assigned:
        outputs = (f"${assigned['name']}",)
    if not outputs:
        return None
    inputs = tuple(
        path
        for path in _inputs_of(segment, folder, named, action, analysis)
        if path not in outputs[:1] or len(named) == 1
    )
    kinds = [source_kind(path, action) for path in inputs]
    if pattern("recorders").search(segment) or _RECORDED.search(segment):
        kinds.append("secret")
    reads_rows = pattern("rows").search(segment) or reads_people(segment)
    if (reads_rows and not is_example(segment)) or pattern("systems").search(segment):
        kinds.append("private")
    kinds += [
        "secret"
        for one in exposures
        if one.kind is ExposureKind.SECRET
        and one.what not in outputs
        and (one.what[:1] == "/" and one.what.rpartition("/")[2] in segment)
    ]
    return Mentions(inputs, outputs, _strictest(kinds) or (RENDERED if renders(segment) else ""))


def _strictest(kinds: Iterable[str]) -> str:
    found = set(kinds)
    return "secret" if "secret" in found else "private" if "private" in found else ""


def _inputs_of(segment: str, folder: str, named: tuple[str, ...], action: Action, analysis: Analysis) -> Iterator[str]:
    yield from named
    if _PASTED.search(segment):
        yield CLIPBOARD
    yield from tables_read(segment)
    yield from (f"${found['name']}" for found in _VARIABLE.finditer(segment))
    yield from _quoted_paths(segment, folder, action)
    for one in analysis.effects:  # folders have no slash and no ending
        if one.kind.startswith("fs.") and one.resource and one.resource.name.rpartition("/")[2] in segment.split():
            yield one.resource.name[:MAX_PATH]


def _outputs_of(segment: str, folder: str, named: tuple[str, ...], action: Action, analysis: Analysis) -> Iterator[str]:
    """Yield the files that a command puts something into, but no folder that holds much else."""
    wide = {"/tmp", "/var/tmp", "/dev/null", action.workspace, action.cwd, action.home, "/", "/home"}
    yield from made_tables(segment)
    for path in _segment_outputs(segment, folder, named, action, analysis):
        if path not in wide and not path.startswith("/dev/") and not (action.cwd or "").startswith(f"{path}/"):
            yield path


def _segment_outputs(
    segment: str, folder: str, named: tuple[str, ...], action: Action, analysis: Analysis
) -> Iterator[str]:
    for found in _OUTPUT.finditer(segment):
        word = found["path"] or found["to"] or found["copied"]
        if "/" in word or _ENDING.search(word):
            yield _normal(_join_path(word, folder), action)
    if _RECORDED.search(segment):
        yield _normal(_join_path(_CASSETTES, folder), action)
    if _CLIPBOARD.search(segment):
        yield CLIPBOARD
    stored = _STORED.search(segment)
    if stored:
        yield _normal(_join_path(stored["path"], folder), action)
    program = segment.split(None, 1)[0].rpartition("/")[2]
    if program in _WITHOUT_OUTPUT:
        return
    if program in _INTERPRETERS or "shell" not in analysis.languages:
        read = _only_read(analysis)
        quoted = (path for path in _quoted_paths(segment, folder, action) if path not in read)
        yield from (path for path in quoted if not source_kind(path, action))
        yield from (
            path for path in named[1:] if not source_kind(path, action) and not path.endswith(sources().script_endings)
        )
    yield from _described_outputs(segment, named, analysis)
    if (program != "terraform" and pattern("recorders").search(segment)) or any(
        one.kind == "process.run" and one.resource and one.resource.name.split(" ")[0] == program
        for one in analysis.effects
    ):
        keys = "ssh-keygen" in segment
        yield from (path for path in named if (keys or _ENDING.search(path)) and not source_kind(path, action))
    if program == "tar" and (into := _INTO.search(segment)):
        yield _normal(_join_path(into["folder"], folder), action)


def _only_read(analysis: Analysis) -> frozenset[str]:
    """Return the files that code is known to read and not to write."""
    named = {
        kind: {one.resource.name for one in analysis.effects if one.kind == kind and one.resource} for kind in _FILED
    }
    return frozenset(named["fs.read"] - named["fs.write"])


_FILED = ("fs.read", "fs.write")


def _described_outputs(segment: str, named: tuple[str, ...], analysis: Analysis) -> Iterator[str]:
    """Yield the files that a command writes by its description."""
    last = segment.split()
    for one in analysis.effects:
        if one.kind in ("fs.write", "fs.link") and one.resource and one.flags.isdisjoint(_NOTHING_NEW):
            name = one.resource.name
            if name.startswith("/") and (
                name in named or name.rpartition("/")[2] in last or "python" in analysis.languages
            ):
                yield name[:MAX_PATH]


def paths_of(action: Action, analysis: Analysis) -> Iterator[str]:
    """Yield the paths that a command names: its words, and folders among its effects."""
    for folder, segment in segments_of(action, analysis):
        named = tuple(_words_of(segment, folder, action)) if "shell" in analysis.languages else ()
        yield from _inputs_of(segment, folder, named, action, analysis)


def _quoted_paths(text: str, folder: str, action: Action) -> Iterator[str]:
    for found in _QUOTED_PATH.finditer(text):
        if _ENDING.search(found["path"]) and "://" not in found["path"]:
            yield _normal(_join_path(found["path"], folder), action)


def _words_of(text: str, folder: str, action: Action) -> Iterator[str]:
    """Yield the words of a command that are paths. Programs that pack, copy and commit take folders by bare names."""
    program = text.split(None, 1)[0].rpartition("/")[2] if text.strip() else ""
    bare = program in _WITH_FOLDERS
    if program in _INTERPRETERS:
        text = _CODE_ARGUMENT.sub(" ", text)
    for quoted in _SPACED.findall(text):
        yield _normal(_join_path(quoted[1:-1], folder), action)
    for at, found in enumerate(_WORD.findall(text)):
        word = found.lstrip("@").rstrip(".:")
        if word[:1] == "-" or ":" in word or "$" in word or not _PATH.fullmatch(word):
            continue
        if "/" in word or _ENDING.search(word) or (bare and at > 0 and word not in _VERBS):
            yield _normal(_join_path(word, folder), action)


def _join_path(path: str, folder: str) -> str:
    return path if path[:1] in "/~" else f"{folder.rstrip('/')}/{path}"


def full_path(path: str, action: Action) -> str:
    """Return a path from the root of the file system, as far as it is known."""
    return _normal(_join_path(path, action.cwd or ""), action)


def _normal(path: str, action: Action) -> str:
    if path.startswith("~/"):
        path = f"{(action.home or '~').rstrip('/')}/{path[2:]}"
    return posixpath.normpath(path)[:MAX_PATH] if path else path
