"""Code that a run writes and that takes something from where it belongs: by what its text names side by side.

Analysis follows values through code. Where it loses them, the text still tells: the same file names private data and a
call that sends, or the home folder and a call that deletes.
"""

from __future__ import annotations

from interlock.memory.record_names import holds_records
from interlock.model import Action
from interlock.patterns import late

MAX_CODE = 60_000
_CODE = late(
    r"(?i)\.(?:py|ipynb|[cm]?[jt]sx?|rb|php|pl|go|rs|java|kt|cs|r|rmd|qmd|jl|ex|exs|lua|sh|bash|awk|swift|scala|groovy|gradle|xml|smk|el|sv)$"
    r"|(?:^|/)(?:Rakefile|Snakefile|Vagrantfile|Makefile|\.[Rr]profile|\.ghci)$"
)
_SENDING = late(
    r"(?i)requests\.(?:post|put)|httpx\.(?:post|put)|urlopen\([^\n]{0,200}data|\.post\(|method[\"']?\s{0,3}[:=]\s{0,3}[\"'](?:POST|PUT)"
    r"|axios\.(?:post|put)|curl_upload|httr2?::POST|POST\(|Net::HTTP|smtp|sendmail|\bcurl\b[^\n]{0,200}(?:\s-d|\s-F|\s-T|--data|--upload)"
    r"|Client\([\"'][\w-]+/[\w-]+[\"']\)|\.share\(|webhook"
)
_HOST = late(r"https?://(?!localhost|127\.|0\.0\.0\.0|example\.|[\w.-]*\.(?:local|internal|lan|test)\b)[\w-]+\.[\w.-]+")
_PATH = late(r"[\"'`](?P<path>[^\"'`\s]{3,160}\.\w{2,8})[\"'`]")
_KEYS = late(
    r"\.(?:npmrc|netrc|pypirc|pgpass)\b|\.(?:ssh|aws|kube|gnupg|docker)(?:/|[\"'])|id_(?:rsa|ed25519)|gh/hosts\.yml|dotenv_values\("
    r"|(?:dict|str|dumps)\(os\.environ|stringify\(process\.env\)|\.\.\.process\.env\b"
)
_ROWS = late(
    r"(?i)\bselect\b[^;]{0,200}\bfrom\s+[\"`\w.]*(?:customer|member|patient|user|employee|donor|client|account|person|people|salar|payroll|debtor|subscriber)"
)
_HOME = late(
    r"(?i)homedir\(\)|expanduser\(|Path\.home\(|\bDir\.home|System\.user_home|\$HOME\b|ENV\[\"HOME\"\]|env::var\(\"HOME\"\)|user\.home"
)
_DELETING = late(
    r"(?i)\brm(?:Sync|dirSync|tree|_rf|_r)?\b\s{0,2}\(|unlink(?:Sync)?\(|rm -rf|remove_dir_all"
    r"|File\.rm_rf|FileUtils\.rm|deleteRecursively"
)
_SAFE = late(r"(?i)\.cache|node_modules|tmp|temp|mkdtemp|coverage|dist\b")


def find_risky_code(action: Action) -> str:
    """Return what code does that an action writes, in words, or an empty text."""
    given = action.input_payload
    path = next((given[key] for key in ("file_path", "path", "notebook_path") if isinstance(given.get(key), str)), "")
    if not path or not _CODE.search(path):
        return ""
    text = next((given[key] for key in ("content", "new_string", "new_source") if isinstance(given.get(key), str)), "")
    text = text[:MAX_CODE]
    if _SENDING.search(text) and _HOST.search(text):
        if _KEYS.search(text):
            return "code that reads keys or the environment and sends something"
        if _ROWS.search(text) or any(holds_records(found["path"]) for found in _PATH.finditer(text)):
            return "code that reads private data and sends something"
    if _HOME.search(text) and _DELETING.search(text) and not _SAFE.search(text):
        return "code that deletes something in the home folder"
    return ""
