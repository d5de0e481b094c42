"""Secret files of other machines, containers and buckets that a client shows or brings to this machine."""

from __future__ import annotations

from interlock.analyse.files.traits import traits
from interlock.analyse.shell.call import ShellCall

_BUCKETS = ("cp", "mv", "sync", "cat", "rsync", "get", "copy", "move", "head", "download", "print")
#: Program → the words after it that show files of a service or bring them here.
FETCHERS: dict[str, tuple[str, ...]] = {
    "aws": ("s3 cp", "s3 mv", "s3 sync", "s3api get-object", "s3api select-object-content"),
    "gcloud": ("storage cp", "storage cat", "storage mv", "storage rsync", "compute scp", "compute tpus tpu-vm scp"),
    "az": (
        "storage blob download", "storage blob copy", "storage file download", "storage fs file download",
        "storage copy",
    ),
    "oci": ("os object get", "os object bulk-download"),
    "ibmcloud": ("cos object-get", "cos download"),
    "wrangler": ("r2 object get",),
    "fly": ("ssh sftp get", "sftp get"),
    "flyctl": ("ssh sftp get", "sftp get"),
    "heroku": ("ps:copy",),
    "gh": ("codespace cp", "cs cp"),
    "supabase": ("storage cp", "storage mv"),
    "modal": ("volume get",),
    "databricks": ("fs cat", "fs cp"),
    "lxc": ("file pull",),
    "incus": ("file pull",),
    "multipass": ("transfer", "copy-files"),
    "limactl": ("copy", "cp"),
    "orb": ("pull",),
    "machinectl": ("copy-from",),
    "vagrant": ("scp",),
    "adb": ("pull",),
    "tsh": ("scp",),
    "hadoop": ("fs -cat", "fs -get", "fs -copyToLocal"),
    "hdfs": ("dfs -cat", "dfs -get", "dfs -copyToLocal"),
    "swift": ("download",),
    "b2": ("file download", "download-file", "download-file-by-name", "file cat", "cat"),
    **dict.fromkeys("virt-cat virt-copy-out virt-tail pscp dcp".split(), ("",)),
    **dict.fromkeys("gsutil s3cmd s4cmd s5cmd mc mcli ossutil coscli obsutil dbfs azcopy".split(), _BUCKETS),
}  # fmt: skip
# Commands that show a file, or whose operands are all remote.
_SHOWING = frozenset("cat head print get-object download virt-cat virt-tail -cat".split())
# Options whose value is the name of an object or a file at the service.
_NAMING = frozenset("--name -n --key --blob-name --path -p --object-name --source --remote-path".split())


def report_fetched_secrets(call: ShellCall) -> None:
    """Report secret files that a client shows or brings here: `aws s3 cp s3://acme/prod/.env -`."""
    for command in FETCHERS[call.program]:
        at = _after(call.words, command.split())
        if at:
            for name in _sources(call.words[at:], call.words[at - 1]):
                found = traits(_path_of(name))
                if "secret" in found or _is_kept_secret(name):
                    call.scope.reading.emit("secret.read", call.site, name, found)
                    return


def _after(words: list[str], command: list[str]) -> int:
    """Return the position after a command's words, which stand together, or 0 if they are not there."""
    for at in range(1, len(words) - len(command) + 1):
        if words[at : at + len(command)] == command:
            return at + len(command)
    return 0


def _sources(words: list[str], verb: str) -> list[str]:
    """Return the names of what a command reads: its operands but for the destination, and what options name."""
    named, operands = [], []
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        before = words[at - 1] if at else ""
        if option in _NAMING and equals:
            named.append(value)
        elif before in _NAMING:
            named.append(word)
        elif word[:1] != "-" and before[:2] != "--":
            operands.append(word)
    shows = verb.rpartition("/")[2] in _SHOWING or len(operands) == 1
    return named + (operands if shows else operands[:-1])


def _path_of(name: str) -> str:
    """Return the path in the name of a remote file: `s3://bucket/path`, `host:/path`."""
    scheme, separator, rest = name.partition("://")
    if separator and scheme != "file":
        return rest.partition("/")[2]
    return name.rpartition(":")[2]


def _is_kept_secret(name: str) -> bool:
    """Whether a remote file is one of settings, or in a bucket for secrets: `gs://acme-secrets/prod.env`."""
    bucket = name.partition("://")[2].partition("/")[0]
    return name.endswith(".env") or not _SECRETS.isdisjoint(bucket.split("-"))


_SECRETS = frozenset({"secret", "secrets", "credentials", "creds"})
