"""What Python's functions do: a table from dotted names to the roles of their arguments.

A row's meaning is a list of `ARGUMENT:ROLE`, where the argument is a position, a keyword, or `self`, and the
role is a kind of effect or `code:LANGUAGE`; `+flag` puts a flag on each of them. A kind alone is an effect
without a resource.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

_ROWS = {
    "print pprint.pprint": "out.print",
    "os.remove os.unlink": "0:fs.delete",
    "os.rmdir os.removedirs": "0:fs.delete +empty",
    "shutil.rmtree": "0:fs.delete +recursive +library",
    "os.rename os.renames os.replace shutil.move": "0:fs.move 1:fs.write",
    "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree": "0:fs.read 1:fs.write",
    "os.mkdir os.makedirs": "0:fs.write +new",
    "os.truncate": "0:fs.write +truncate",
    "os.symlink os.link": "0:fs.read 1:fs.write",
    "os.chmod shutil.chmod os.lchmod": "0:fs.mode",
    "os.chown shutil.chown os.lchown": "0:fs.owner",
    "os.listdir os.scandir os.walk os.stat glob.glob glob.iglob os.path.getsize os.readlink": "0:fs.read +names",
    "shutil.make_archive": "2:fs.read 0:fs.write",
    "shutil.unpack_archive": "0:fs.read 1:fs.write",
    "os.kill os.killpg signal.pthread_kill": "0:process.signal",
    "os.setuid os.setgid os.seteuid": "privilege.raise",
    "os.fork": "process.spawn",
    "os.system posix.system nt.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput popen2.popen3": "0:code:shell process.spawn",
    "asyncio.create_subprocess_shell": "0:code:shell process.spawn",
    "eval exec builtins.eval builtins.exec": "0:code:python code.eval",
    "compile builtins.compile": "",
    "runpy.run_path": "0:code.run",
    "runpy.run_module": "process.spawn",
    "pickle.load pickle.loads cPickle.loads dill.load dill.loads cloudpickle.loads marshal.loads shelve.open joblib.load": "code.opaque +unpickle",
    "os.getenv os.environ.get": "env.read",
    "requests.get requests.head requests.options httpx.get httpx.head httpx.options httpx.stream urllib3.request": "0:net.fetch",
    "requests.post requests.put requests.delete requests.patch httpx.post httpx.put httpx.delete httpx.patch": "0:net.send",
    "urllib.request.urlopen urllib2.urlopen urllib.urlopen urllib.request.urlretrieve urllib.urlretrieve wget.download": "0:net.fetch",
    "requests.Session.get requests.Session.head httpx.Client.get httpx.AsyncClient.get aiohttp.ClientSession.get": "0:net.fetch",
    "requests.Session.post requests.Session.put requests.Session.delete requests.Session.patch": "0:net.send",
    "httpx.Client.post httpx.Client.put httpx.Client.delete httpx.Client.patch": "0:net.send",
    "httpx.AsyncClient.post httpx.AsyncClient.put httpx.AsyncClient.delete httpx.AsyncClient.patch": "0:net.send",
    "aiohttp.ClientSession.post aiohttp.ClientSession.put aiohttp.ClientSession.delete aiohttp.ClientSession.patch": "0:net.send",
    "socket.create_connection": "0:net.connect",
    "socket.socket.connect socket.socket.connect_ex": "0:net.connect",
    "socket.socket.bind socket.socket.listen": "net.listen",
    "smtplib.SMTP.sendmail smtplib.SMTP.send_message smtplib.SMTP_SSL.sendmail": "message.send",
    "ftplib.FTP paramiko.SSHClient.connect telnetlib.Telnet": "0:net.connect",
    "paramiko.SSHClient.exec_command": "0:code:shell",
    "pip.main pip._internal.main": "package.install",
    "ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.WinDLL": "code.opaque +native",
    "pathlib.Path.unlink": "self:fs.delete",
    "pathlib.Path.rmdir": "self:fs.delete +empty",
    "pathlib.Path.write_text pathlib.Path.write_bytes pathlib.Path.touch": "self:fs.write",
    "pathlib.Path.mkdir": "self:fs.write +new",
    "pathlib.Path.iterdir pathlib.Path.glob pathlib.Path.rglob pathlib.Path.stat": "self:fs.read +names",
    "pathlib.Path.rename pathlib.Path.replace": "self:fs.move 0:fs.write",
    "pathlib.Path.chmod": "self:fs.mode",
    "pathlib.Path.symlink_to": "self:fs.write",
    "pandas.read_csv pandas.read_json pandas.read_excel pandas.read_parquet numpy.load numpy.loadtxt json.load yaml.safe_load": "0:fs.read",
    "boto3.client boto3.resource": "infra.read",
}  # fmt: skip

#: Classes whose instances are followed.
CLASSES = frozenset(
    (
        "pathlib.Path pathlib.PosixPath pathlib.PurePath requests.Session httpx.Client httpx.AsyncClient "
        "aiohttp.ClientSession socket.socket smtplib.SMTP smtplib.SMTP_SSL paramiko.SSHClient"
    ).split()
)

#: Functions that start a program from an argument list or a shell text.
SPAWNERS = frozenset(
    (
        "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen "
        "asyncio.create_subprocess_exec asyncio.subprocess.create_subprocess_exec pty.spawn sh.Command"
    ).split()
)
#: Functions that start a program from a path and an argument list.
EXECUTORS = frozenset(
    (
        "os.execl os.execle os.execlp os.execlpe os.execv os.execve os.execvp os.execvpe os.spawnl os.spawnle "
        "os.spawnlp os.spawnv os.spawnve os.spawnvp os.posix_spawn os.posix_spawnp"
    ).split()
)
#: Functions that make a request whose method is their first argument.
REQUESTERS = frozenset(
    "requests.request httpx.request requests.Session.request httpx.Client.request httpx.AsyncClient.request "
    "aiohttp.ClientSession.request".split()
)
#: Functions whose second argument is data to send.
DATA_SECOND = frozenset("urllib.request.urlopen urllib2.urlopen urllib.urlopen".split())
#: Methods that give what a file holds.
READERS_OF_FILES = frozenset(
    "file.read file.readline file.readlines pathlib.Path.read_text pathlib.Path.read_bytes".split()
)
#: Functions that open a file by a mode.
OPENERS = frozenset(
    "open io.open codecs.open builtins.open pathlib.Path.open gzip.open bz2.open lzma.open os.fdopen".split()
)
#: Methods of database cursors and connections that take SQL.
SQL_METHODS = frozenset(
    "execute executemany executescript raw query read_sql read_sql_query execute_sql run_query".split()
)
#: Methods that say what they do whatever object they are called on.
TELLING_METHODS = {
    "unlink": "fs.delete",
    "rmtree": "fs.delete",
    "write_text": "fs.write",
    "write_bytes": "fs.write",
}


class Effects(NamedTuple):
    """What a function does: roles of its arguments, effects without a resource, flags."""

    roles: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    flags: frozenset[str]


@cache
def table() -> dict[str, Effects]:
    """Return the rows, taken apart."""
    return {name: _row(meaning) for names, meaning in _ROWS.items() for name in names.split()}


def _row(meaning: str) -> Effects:
    roles, kinds, flags = [], [], []
    for word in meaning.split():
        argument, colon, role = word.partition(":")
        if word[0] == "+":
            flags.append(word[1:])
        elif colon:
            roles.append((argument, role))
        else:
            kinds.append(word)
    return Effects(tuple(roles), tuple(kinds), frozenset(flags))
