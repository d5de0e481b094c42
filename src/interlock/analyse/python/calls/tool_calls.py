"""Library calls that do what a program does: their arguments are read as the program's, or as paths that it uses."""

from __future__ import annotations

from typing import Any

from interlock.analyse.addresses.hosts import host_flags
from interlock.analyse.files.paths import HOLE
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.shell_quoting import quote
from interlock.analyse.python.evaluation.marks import unknown_from
from interlock.analyse.python.evaluation.values import (
    MODULE,
    UNKNOWN,
    Instance,
    Ref,
    Unknown,
    as_text,
    is_list,
    words_of,
)
from interlock.analyse.python.library.names import NAMES

_SITE = "/usr/lib/python3/site-packages"
_USER_SITE = "~/.local/lib/python3/site-packages"
_REQUESTERS = frozenset("requests httpx urllib3 aiohttp boto3 botocore django flask fastapi".split())
_CAPABILITY = frozenset({"capability"})
_SERVED = frozenset({"names", "served"})
_READ_ONLY = frozenset({"os.O_RDONLY", "posix.O_RDONLY"})


def run_program_arguments(call: PythonCall) -> Any:
    """`pip.main(["install", "x"])`: the program of that name, with these words."""
    words = words_of(call.argument(0)) or []
    _run(call, [call.name.partition(".")[0], *words])
    return UNKNOWN


def run_management_command(call: PythonCall) -> Any:
    """Django's `call_command("flush")`: what `manage.py flush` does."""
    given = call.arguments[0] if call.arguments and is_list(call.arguments[0]) else call.arguments
    words = [as_text(value) for value in given]
    if call.method == "execute_from_command_line":
        words = words[1:]
    words += [f"--{name.replace('_', '-')}={value}" for name, value in call.keywords.items() if isinstance(value, str)]
    _run(call, ["python", "manage.py", *words])
    return UNKNOWN


def _run(call: PythonCall, words: list[str]) -> None:
    call.reading.nest("shell", " ".join(quote(word) for word in words), call.site.behind(call.method))


def load_model_repository(call: PythonCall) -> Any:
    """`torch.hub.load`: code of a repository, unless that is a folder or belongs to a usual owner."""
    repository = call.text(0)
    owner = repository.partition("/")[0].lower()
    if call.keywords.get("source") != "local" and owner not in NAMES.model_owners:
        call.reading.url("code.remote", call.site, f"https://github.com/{repository}")
    return UNKNOWN


def trusts_remote_code(call: PythonCall) -> bool:
    """Emit code from the network that a call runs because it is told to trust it; return whether it does."""
    if call.keywords.get("trust_remote_code") is not True or call.method == "push_to_hub":
        return False
    name = call.text(0)
    if name.startswith((".", "/", "~")):
        return False
    call.reading.url("code.remote", call.site, f"https://huggingface.co/{name}")
    return True


def open_by_flags(call: PythonCall) -> Any:
    """`os.open`: a read if the flags say so, else a write."""
    flags = call.option("flags", 1, 0)
    reads = flags == 0 or (isinstance(flags, Ref) and flags.name in _READ_ONLY)
    path = call.text(0)
    call.reading.file("fs.read" if reads else "fs.write", call.site, path)
    return Instance("file", path, "r" if reads else "w")


def read_lines(call: PythonCall) -> Any:
    """`fileinput.input`: files that are read, or rewritten in place."""
    files = call.option("files", 0)
    in_place = call.option("inplace", 1, False)
    for path in words_of(files) or [as_text(files)] if files is not None else []:
        if in_place is False:
            call.reading.file("fs.read", call.site, path)
        else:
            call.reading.file("fs.write", call.site, path, frozenset({"in_place"}))
    return UNKNOWN


def read_password_file(call: PythonCall) -> Any:
    """`netrc.netrc`: the passwords of the user, unless another file is named."""
    path = call.text(0) if call.values else "~/.netrc"
    call.reading.file("fs.read", call.site, path)
    secret = call.reading.effects[-1].kind == "secret.read"
    return unknown_from(call.reading, f"passwords in {path}", "secret") if secret else UNKNOWN


def find_installed(call: PythonCall) -> Any:
    """Return the path of what is installed: the folders of packages, the bundle of certificates."""
    if call.method == "find_spec":
        return Instance(MODULE, f"{_SITE}/{call.text(0).replace('.', '/')}/__init__.py")
    if call.method == "where":
        return f"{_SITE}/certifi/cacert.pem"
    if call.method == "getusersitepackages":
        return _USER_SITE
    return [_SITE] if call.method == "getsitepackages" else _SITE


def find_installed_file(module: str) -> str:
    """Return the file of a module that is part of Python or a well-known package, else an empty text."""
    from interlock.analyse.clients.service_words import TABLE

    top, known = module.partition(".")[0], TABLE.local
    return (
        f"{_SITE}/{module.replace('.', '/')}.py"
        if top in known.standard or top in known.packages or top in _REQUESTERS
        else ""
    )


def find_source(call: PythonCall) -> Any:
    """`inspect.getfile`: the file that a module, or what is defined in it, comes from."""
    value = call.argument(0)
    return (find_installed_file(value.name) if isinstance(value, Ref) else "") or UNKNOWN


#: System calls by their number on x86-64.
_SYSTEM_CALLS = {
    **dict.fromkeys((155, 161, 165, 166, 167, 168, 175, 176, 246, 313, 320, 321), "kernel.change"),
    169: "machine.halt",
    **dict.fromkeys((101, 310, 311), "process.attach"),
    **dict.fromkeys((105, 106, 113, 117, 126, 308), "privilege.raise"),
    **dict.fromkeys((59, 322), "process.spawn"),
}


def make_system_call(call: PythonCall) -> Any:
    """`libc.syscall`: a call to the kernel by its number."""
    number = call.argument(0)
    kind = _SYSTEM_CALLS.get(number) if isinstance(number, int) else None
    if kind:
        call.reading.emit(kind, call.site, f"system call {number}")
    return UNKNOWN


def change_extended_attribute(call: PythonCall) -> Any:
    """`os.setxattr`: an attribute of a file; one of them gives a program rights of root."""
    name = call.text(1)
    if "security.capability" in name or HOLE in name:
        call.reading.file("fs.mode", call.site, call.text(0), _CAPABILITY)
    else:
        call.reading.file("fs.attribute", call.site, call.text(0))
    return UNKNOWN


def serve_files(call: PythonCall) -> Any:
    """`http.server.HTTPServer`: a folder that others can read, unless only this machine can connect."""
    address = words_of(call.argument(0)) or [""]
    if host_flags(f"http://{address[0]}") & {"local"} and address[0] not in ("0.0.0.0", "::", ""):  # noqa: S104
        return UNKNOWN
    call.reading.emit("net.listen", call.site, ":".join(address))
    handler = call.argument(1)
    if isinstance(handler, Ref) and handler.name.endswith("SimpleHTTPRequestHandler"):
        folder = call.host.state.folder or call.site.cwd or "."
        call.reading.file("fs.read", call.site, folder, _SERVED)
    return UNKNOWN


def enter_folder(call: PythonCall) -> Any:
    """`os.chdir`: the folder that is served from then on."""
    value = call.argument(0)
    call.host.state.folder = "" if isinstance(value, Unknown) else as_text(value)
    return UNKNOWN
