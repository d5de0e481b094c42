"""Names in Python that stand for one thing wherever they are met."""

from __future__ import annotations

#: Names that a fragment uses without importing them, and that stand for one thing.
BARE = {
    "Popen": "subprocess.Popen",
    "check_output": "subprocess.check_output",
    "check_call": "subprocess.check_call",
    "getoutput": "subprocess.getoutput",
    "popen": "os.popen",
    "environ": "os.environ",
    "getenv": "os.getenv",
    "uname": "os.uname",
    "urlopen": "urllib.request.urlopen",
    "urlretrieve": "urllib.request.urlretrieve",
    "rmtree": "shutil.rmtree",
    "copyfile": "shutil.copyfile",
    "b64decode": "base64.b64decode",
    "unhexlify": "binascii.unhexlify",
    "getuser": "getpass.getuser",
    "gethostname": "socket.gethostname",
    "windll": "ctypes.windll",
    "cdll": "ctypes.cdll",
    "CDLL": "ctypes.CDLL",
    "Fernet": "cryptography.fernet.Fernet",
    "ImageGrab": "PIL.ImageGrab",
    "Path": "pathlib.Path",
}

#: Names that functions have which start a program, in whatever library.
STARTERS = frozenset(
    (
        "run call spawn check_call check_output Popen popen system execute exec_command run_command run_cmd shell "
        "sh sudo"
    ).split()
)
#: Names that functions have which send a request.
SENDERS = frozenset(
    "request Request urlopen post put patch upload send_request http_request make_request fetch".split()
)
#: Methods of database cursors and connections that take SQL.
SQL_METHODS = frozenset(
    (
        "execute executemany executescript raw query read_sql read_sql_query execute_sql run_query fetch fetchrow "
        "fetchval mogrify exec_driver_sql"
    ).split()
)
