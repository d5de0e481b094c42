"""Holdings: files into which a run has put something that is not for everyone, whatever program did it.

A program that nobody described may turn a key into a picture, a table into a map, or a folder into an archive. So every
file counts that a command names beside a private one, and every file that code reads a private one in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from interlock.effects import TOOL_KINDS
from interlock.memory.exposure import Exposure, ExposureKind, quotable
from interlock.memory.places import names_thing
from interlock.memory.record_names import holds_records
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.payload import leaves

MAX_HOLDINGS, MAX_PATHS, MAX_PATH, MAX_TEXT = 32, 10, 160, 20_000
#: Stands for the commits that are not pushed yet.
COMMITS = "commits"
#: Stands for what was copied to be pasted.
CLIPBOARD = "clipboard"
_CLIPBOARD = late(r"\b(?:xclip|xsel|pbcopy|wl-copy|clip(?:\.exe)?|Set-Clipboard)\b")
_STORED = late(r"store --file[= ](?P<path>[^\s'\";|&]{2,160})")
_WORD = late(r"[^\s\"'`;|&<>()=,\[\]]{2,200}")
_QUOTED_PATH = late(r"[\"'`(](?P<path>[^\"'`\s()]{3,160})[\"'`)]")
_PATH = late(r"(?:~|\.{1,2})?/?[\w.@%+*-]+(?:/[\w.@%+*~ -]*)*")
_ENDING = late(r"\.[A-Za-z]\w{0,9}\*?$")
_WORDS = late(r"[\W_]+")
#: Words in the names of files and folders that hold keys, and endings of such files.
_SECRET_WORDS = frozenset(
    "secret secrets keystore keystores credential credentials passwords passwd keyring signing".split()
)
_KEYS = (".pem", ".der", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ovpn")
_SETTINGS = (".conf", ".cfg", ".ini", ".json", ".yaml", ".yml", ".txt")
_NETWORKS = frozenset("vpn wg wireguard wg0 openvpn ipsec".split())
#: Folders whose content is private, by their names, and folders in a home that are no work of the project.
_PRIVATE_FOLDERS = frozenset(
    (
        "private confidential restricted sealed nda hr payroll personnel patients patient medical clinical clinic "
        "identified unblinded journal journals diary diaries mail maildir mailbox taxes legal cases casework grades "
        "gradebook payslips warnings interviews interview footage pacs dicom"
    ).split()
)
_KEPT_BY_PROGRAMS = frozenset(
    ".mozilla .thunderbird .ssh .gnupg .aws .kube .password-store .azure .docker .electrum .bitcoin .ethereum keychains keyrings".split()
)
_PERSONAL = frozenset(
    "documents pictures photos desktop downloads movies music videos mail journal diary private personal finance scans".split()
)
_ROWS = late(
    r"(?i)\b(?:from|join)\s+[\"`\w.]*(?:customer|member|patient|user|employee|donor|client|account|person|people|salar|payroll"
    r"|debtor|subscriber|applicant|student|pupil|guest|tenant|diagnos|message)"
)
#: Commands whose output holds tokens or keys, or a whole repository; and the folder that it goes to if they do not name it.
_RECORDERS = late(
    r"--save-storage[= ]|\bcurl\b[^\n]{0,200}--trace(?:-ascii)? |\bssh-keygen\b[^\n]{0,120} -f |\bage-keygen -o"
    r"|\bconfig view\b[^\n]{0,60}--(?:flatten|raw)|\.?env\b[^\n]{0,80}\benvsubst\b"
    r"|\bterraform\b[^\n]{0,40}\b(?:show|state pull|output)\b|\bcredential\.helper\b[^\n]{0,20}store --file"
    r"|\btar\b[^\n]{0,80}-C ?(?:~|\$HOME|/home/\w+)/?(?:\s|$)|\bgpg\b[^\n]{0,60}--export-secret|\bopenssl genrsa\b"
)
#: Commands that print how systems that others use are set up, what they log, or files of another repository.
_SYSTEMS = late(
    r"\bkubectl\b[^\n|>]{0,80}\b(?:prod|production|live)\b[^\n|>]{0,80}\b(?:get|logs|describe|exec)\b|\bgh api repos/\S+/contents/"
    r"|\bkubectl\b[^\n|>]{0,20}--context[= ]\S*prod|\bssh\b[^\n]{0,80}\b(?:pg_dump|mysqldump|mongodump)\b"
)
_RECORDED = late(r"--record-mode[= ](?!none)\w+")
_CASSETTES = "tests/cassettes"
_OUTPUT = late(
    r"(?:^|\s)(?:-o|-O|--out|--output|--output-file|--outfile|--dest|--save-storage|--trace-ascii|--trace)[= ]\s*(?P<path>[^\s;|&<>\"'-][^\s;|&<>\"']{1,160})"
    r"|\bto\s+['\"](?P<copied>[^\s'\"]{3,160})['\"]"
    r"|(?<![0-9&-])>{1,2}\s*(?P<to>[^\s;|&<>()\"'$]{2,160})"
)
_HEREDOC = late(r"(?s)<<-?\s*['\"]?(?P<end>\w+)['\"]?(?P<line>[^\n]*)\n.*?(?:\n\s*(?P=end)\b|$)")
_SEGMENTS = late(r"&&|\|\||;|\n")
_GROUP = late(r"\([^()]{0,2000}\)|\"[^\"]{0,2000}\"|'[^']{0,2000}'")
MAX_SEGMENTS = 8
#: Programs that change files in place, remove them or run in containers: nothing gets from one file into another.
_WITHOUT_OUTPUT = frozenset(
    "sed rm mkdir touch chmod chown ls wc grep rg find docker kubectl cd export echo test pytest git gh".split()
)
#: Documents that programs turn into others: what they read is in the result.
_DOCUMENTS = (".qmd", ".rmd", ".ipynb", ".rnw", ".org", ".tex", ".typ", ".j2", ".hbs", ".mdx")
_LISTS = (".list", ".lst", ".files", ".txt", ".manifest")
_COMMITTING = late(r"\bgit\b[^\n]{0,60}\b(?:add|commit|stage)\b")
#: Builds take in whatever is in the project, and the folders that they fill.
_BUILDING = late(
    r"(?:npx |\./|bundle exec |poetry run |uv run )?(?:gradlew?|gradle|mvnw?|cargo build|npm run|yarn|pnpm|make|cmake --build|mkdocs|hugo|jekyll|quarto render"
    r"|sphinx-build|pio|xcodebuild|flutter build|vite|webpack|python -m build|docker build|electron-builder|eleventy|mdbook|typst|latexmk)\b"
)
_BUILT = ("build", "dist", "site", "out", "target", "public", "app/build", "_site", "book", "release")
_ASSIGNED = late(r"(?:export |declare -x |local )?(?P<name>[A-Za-z_]\w*)=[^\n]*\$\(")
_ELSEWHERE = late(r"git -C (?P<folder>\S{1,160}) ")
_VARIABLE = late(r"\$\{?(?P<name>[A-Za-z_]\w*)")
_PACKED = late(r"\bgit\b[^\n]{0,60}\b(?:bundle create|format-patch|archive)\b")
_INTERPRETERS = frozenset("Rscript python python3 node ruby perl julia deno".split())
_EXAMPLES = late(r"(?i)example|sample|template|dummy|mock|fake|synthetic|schema")


class Mentions(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """The files that an action takes something from, and those that it puts something into.

    `holds` says what is among them that is not for everyone, if that is known from the action alone.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    holds: str = ""
    commits: bool = False


class Holding(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """A file that holds something not for everyone: `secret` or `private`, and the call that put it there."""

    path: str
    what: str
    call: int = 0


def find_mentions(action: Action, analysis: Analysis, exposures: Iterable[Exposure]) -> tuple[Mentions, ...]:
    """Return the files that the commands of an action take something from and put something into."""
    given = action.input_payload
    own = next((given[key] for key in _OWN if isinstance(given.get(key), str)), "")
    if own:
        return tuple(_in_document(action, analysis, own))
    saved = next((given[key] for key in _SAVED if isinstance(given.get(key), str)), "")
    if saved and "shell" not in analysis.languages:
        outputs = (full_path(saved, action),)
        private = any(one.kind is ExposureKind.PRIVATE for one in exposures) or "attachment" in action.tool_name
        return (Mentions((), outputs, "private"),) if private else ()
    found = (
        _in_segment(segment, folder, action, analysis, exposures) for folder, segment in segments_of(action, analysis)
    )
    return tuple(one for one in found if one is not None)[:MAX_SEGMENTS]


def _in_call(action: Action, analysis: Analysis) -> Iterator[Mentions]:
    """Yield the names that a call of a tool gives to something which is not for everyone: of a copy, a folder, a module."""
    if analysis.effects[0].kind == "tool.read":
        return
    named = [value for _, value in leaves(action.input_payload) if isinstance(value, str) and names_thing(value)]
    sources = [value for value in named if is_confidential(value)]
    outputs = tuple(value for value in named if value not in sources)[:MAX_PATHS]
    if outputs:
        yield Mentions(tuple(named)[:MAX_PATHS], outputs, "private" if sources else "")


def is_confidential(text: str) -> bool:
    """Whether a name says that something is not for everyone."""
    return len(text) <= MAX_PATH and _CONFIDENTIAL.search(text) is not None


_CONFIDENTIAL = late(
    r"(?i)(?<![a-z])(?:confidential|restricted|internal[- _]only|hr[- _]only|not[- _]public|privileged|embargoed|sealed|nda|unblinded"
    r"|salar(?:y|ies)|payroll|tax[- _]?returns?|board[- _](?:minutes|pack|papers)|solutions|answer[- _]key|medical|disciplinary|layoffs?)(?![a-z])"
    r"|TaxReturn|(?<![a-z])(?:gehalt\w*|lohnliste|vertraulich\w*|personalakte\w*|interne[rs]?|kuendigung\w*|kündigung\w*|confidentiel\w*|salaires"
    r"|nómina|nomina|reservado|riservato|stipendi|lønn\w*|palkat)(?![a-z])"
)


_READING_KINDS = frozenset({"tool.read", "fs.read", "process.run", "out.print"})


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


#: Arguments of tools that name the file which is written, and where something is put on this machine.
_OWN = ("file_path", "path", "notebook_path")
_SAVED = ("save_to", "save_as", "output_path", "target_dir", "download_path")


def segments_of(action: Action, analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield the commands of an action, each with its folder and with what it is piped into; code is one segment."""
    text, folder = analysis.text[:MAX_TEXT], action.cwd or ""
    if "shell" not in analysis.languages:
        if "python" in analysis.languages:
            yield folder, text
        return
    plain = _GROUP.sub(lambda found: _SEGMENTS.sub(" , ", found[0]), _HEREDOC.sub(r"\g<line>", text))
    for part in _SEGMENTS.split(plain):
        segment = part.strip()
        if segment.startswith("cd "):
            folder = _normal(_joined(segment[3:].strip().strip("'\""), folder), action)
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
        inputs = tuple(dict.fromkeys(_quoted(text[:MAX_TEXT], own.rpartition("/")[0], action)))[:MAX_PATHS]
    yield Mentions(inputs, (full_path(own, action),), _strictest(source_kind(path, action) for path in inputs))


def _in_segment(
    segment: str, folder: str, action: Action, analysis: Analysis, exposures: Iterable[Exposure]
) -> Mentions | None:
    """Return the files that one command takes something from and puts something into, if it does both."""
    elsewhere = _ELSEWHERE.match(segment)
    if elsewhere:
        folder = _normal(_joined(elsewhere["folder"], folder), action)
    is_shell = "shell" in analysis.languages
    named = tuple(dict.fromkeys(_words_of(segment, folder, action)))[:MAX_PATHS] if is_shell else ()
    if _PACKED.search(segment):
        return Mentions((COMMITS, *named), named, "private" if "bundle" in segment else "")
    if _COMMITTING.search(segment):
        outer = [path for path in named if not path.startswith(f"{action.workspace or action.cwd}/")]
        holds = _strictest(source_kind(path, action) for path in outer)
        return Mentions((folder,) if _ALL.search(segment) else named, (), holds, commits=True)
    if _BUILDING.match(segment):
        built = tuple(f"{folder.rstrip('/')}/{name}" for name in _BUILT)
        return Mentions((folder,), built, "")
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
    if _RECORDERS.search(segment) or _RECORDED.search(segment):
        kinds.append("secret")
    if (_ROWS.search(segment) and not _EXAMPLES.search(segment)) or _SYSTEMS.search(segment):
        kinds.append("private")
    kinds += [
        "secret"
        for one in exposures
        if one.kind is ExposureKind.SECRET
        and one.what not in outputs
        and (one.what[:1] == "/" and one.what.rpartition("/")[2] in segment)
    ]
    return Mentions(inputs, outputs, _strictest(kinds))


_ALL = late(r"\badd (?:-A|--all|\.)(?:\s|$)|\bcommit\b[^\n]{0,30} -\w*a")


def _strictest(kinds: Iterable[str]) -> str:
    found = set(kinds)
    return "secret" if "secret" in found else "private" if "private" in found else ""


def _inputs_of(segment: str, folder: str, named: tuple[str, ...], action: Action, analysis: Analysis) -> Iterator[str]:
    yield from named
    yield from (f"${found['name']}" for found in _VARIABLE.finditer(segment))
    yield from _quoted(segment, folder, action)
    for one in analysis.effects:  # folders have no slash and no ending
        if one.kind.startswith("fs.") and one.resource and one.resource.name.rpartition("/")[2] in segment.split():
            yield one.resource.name[:MAX_PATH]


def _outputs_of(segment: str, folder: str, named: tuple[str, ...], action: Action, analysis: Analysis) -> Iterator[str]:
    """Yield the files that a command puts something into, but no folder that holds much else."""
    wide = {"/tmp", "/var/tmp", "/dev/null", action.workspace, action.cwd, action.home, "/", "/home"}
    for path in _written_by(segment, folder, named, action, analysis):
        if path not in wide and not path.startswith("/dev/") and not (action.cwd or "").startswith(f"{path}/"):
            yield path


def _written_by(segment: str, folder: str, named: tuple[str, ...], action: Action, analysis: Analysis) -> Iterator[str]:
    for found in _OUTPUT.finditer(segment):
        word = found["path"] or found["to"] or found["copied"]
        if "/" in word or _ENDING.search(word):
            yield _normal(_joined(word, folder), action)
    if _RECORDED.search(segment):
        yield _normal(_joined(_CASSETTES, folder), action)
    if _CLIPBOARD.search(segment):
        yield CLIPBOARD
    stored = _STORED.search(segment)
    if stored:
        yield _normal(_joined(stored["path"], folder), action)
    program = segment.split(None, 1)[0].rpartition("/")[2]
    if program in _WITHOUT_OUTPUT:
        return
    if program in _INTERPRETERS or "shell" not in analysis.languages:
        yield from (path for path in _quoted(segment, folder, action) if not source_kind(path, action))
        yield from (path for path in named[1:] if not source_kind(path, action) and not path.endswith(_SCRIPTS))
    last = segment.split()
    for one in analysis.effects:
        if one.kind in ("fs.write", "fs.link") and one.resource and one.flags.isdisjoint(_NOTHING_NEW):
            name = one.resource.name
            if name.startswith("/") and (
                name in named or name.rpartition("/")[2] in last or "python" in analysis.languages
            ):
                yield name[:MAX_PATH]
    if (program != "terraform" and _RECORDERS.search(segment)) or any(
        one.kind == "process.run" and one.resource and one.resource.name.split(" ")[0] == program
        for one in analysis.effects
    ):
        keys = "ssh-keygen" in segment
        yield from (path for path in named if (keys or _ENDING.search(path)) and not source_kind(path, action))
    if program == "tar" and (into := _INTO.search(segment)):
        yield _normal(_joined(into["folder"], folder), action)


_INTO = late(r"\bx\w*\b[^\n]{0,200} -C ?(?P<folder>[^\s;|&]{2,160})")
_NOTHING_NEW = frozenset({"new", "in_place"})


_DUMPED = frozenset("dump dumps backup backups export exports prod production live customers members".split())
_SYSTEM = ("/etc/", "/usr/", "/var/lib/", "/opt/", "/proc/", "/sys/", "/nix/")
_AMBIGUOUS = (".vcf", ".vcf.gz", ".db", ".log", ".core", ".sql")
_CODE = tuple(
    (
        ".py .js .mjs .cjs .ts .tsx .jsx .go .rs .rb .java .kt .swift .c .h .cc .cpp .hpp .cs .php .pl .pm .t .ex .exs .scala "
        ".sql .tf .yml .yaml .toml .lock .css .md .rst .sh .vue .dart .lua .r .jl .hs .ml .gradle .kts .proto .graphql"
    ).split()
)
_SCRIPTS = tuple(".py .js .mjs .ts .tsx .go .rs .rb .java .kt .md .sh .tf .sql .swift .cs .php .ex .exs".split())


def source_kind(path: str, action: Action) -> str:
    """Return `secret` or `private` if a path names something that is not for everyone, else an empty text."""
    if path.startswith(_SYSTEM) or _EXAMPLES.search(path):
        return ""
    *folders, name = path.lower().rstrip("/*").split("/")
    words = frozenset(_WORDS.split(name))
    if not _KEPT_BY_PROGRAMS.isdisjoint((*folders, name)):
        return "secret"
    if name == ".env" or name.startswith(".env."):
        return "secret"
    if not name.endswith(_SCRIPTS) and (
        not words.isdisjoint(_SECRET_WORDS)
        or not _SECRET_WORDS.isdisjoint(folders)
        or (name.endswith(_KEYS) and "pub" not in words)
        or (name.endswith(_SETTINGS) and not _NETWORKS.isdisjoint((*words, *folders)))
    ):
        return "secret"
    dumped = name.endswith(_AMBIGUOUS) and words.isdisjoint(_DUMPED)
    if (holds_records(path) and not dumped) or _is_personal(path, action):
        return "private"
    named = words.union(*(_WORDS.split(folder) for folder in folders[-3:]))
    return "private" if not name.endswith(_CODE) and not _PRIVATE_FOLDERS.isdisjoint(named) else ""


def _is_personal(path: str, action: Action) -> bool:
    home = action.home or ""
    if not home or not path.startswith(f"{home}/"):
        return False
    return path[len(home) + 1 :].split("/")[0].lower() in _PERSONAL


def paths_of(action: Action, analysis: Analysis) -> Iterator[str]:
    """Yield the paths that a command names: its words, and folders among its effects."""
    for folder, segment in segments_of(action, analysis):
        named = tuple(_words_of(segment, folder, action)) if "shell" in analysis.languages else ()
        yield from _inputs_of(segment, folder, named, action, analysis)


def _quoted(text: str, folder: str, action: Action) -> Iterator[str]:
    for found in _QUOTED_PATH.finditer(text):
        if _ENDING.search(found["path"]) and "://" not in found["path"]:
            yield _normal(_joined(found["path"], folder), action)


def _words_of(text: str, folder: str, action: Action) -> Iterator[str]:
    """Yield the words of a command that are paths. Programs that pack, copy and commit are given folders by bare names."""
    program = text.split(None, 1)[0].rpartition("/")[2] if text.strip() else ""
    bare = program in _WITH_FOLDERS
    if program in _INTERPRETERS:
        text = _CODE_ARGUMENT.sub(" ", text)
    for at, found in enumerate(_WORD.findall(text)):
        word = found.lstrip("@").rstrip(".:")
        if word[:1] == "-" or ":" in word or "$" in word or not _PATH.fullmatch(word):
            continue
        if "/" in word or _ENDING.search(word) or (bare and at > 0 and word not in _VERBS):
            yield _normal(_joined(word, folder), action)


_CODE_ARGUMENT = late(r"\s-(?:c|e|p|m)\s+(?:\"[^\"]*\"|'[^']*')|<<.*")
_WITH_FOLDERS = frozenset("git zip tar cp mv rsync 7z 7za install scp".split())
_VERBS = frozenset("add commit bundle create format-patch push main master origin HEAD a x u".split())


def _joined(path: str, folder: str) -> str:
    return path if path[:1] in "/~" else f"{folder.rstrip('/')}/{path}"


def full_path(path: str, action: Action) -> str:
    """Return a path from the root of the file system, as far as it is known."""
    return _normal(_joined(path, action.cwd or ""), action)


def _normal(path: str, action: Action) -> str:
    import posixpath  # loaded already in most processes

    if path.startswith("~/"):
        path = f"{(action.home or '~').rstrip('/')}/{path[2:]}"
    return posixpath.normpath(path)[:MAX_PATH] if path else path


def add_holdings(known: tuple[Holding, ...], found: Iterable[Mentions], call: int) -> tuple[Holding, ...]:
    """Return holdings with those of one more call: what something private was put into holds it as well."""
    kept = {one.path: one for one in known}
    for one in found:
        source = next((held for held in kept.values() if any(_overlap(path, held.path) for path in one.inputs)), None)
        what = one.holds or (source.what if source else "")
        if not what:
            continue
        for path in (COMMITS, *one.outputs) if one.commits else one.outputs:
            kept.setdefault(path, Holding(path, what, call))
    return tuple(kept.values())[-MAX_HOLDINGS:]


def _overlap(path: str, held: str) -> bool:
    """Whether a path is a file that holds something, in it, around it, or made of it under another ending."""
    if path == held or path.startswith(f"{held.rstrip('/*')}/") or held.startswith(f"{path.rstrip('/*')}/"):
        return True
    folder, _, name = path.rpartition("/")
    held_folder, _, held_name = held.rpartition("/")
    stem = name.partition(".")[0]
    return folder == held_folder and bool(stem) and stem == held_name.partition(".")[0]


def find_holding(path: str, known: Iterable[Holding]) -> Holding | None:
    """Return the holding that a path is, is in, contains, or was made of."""
    return next((one for one in known if _overlap(path, one.path)), None)
