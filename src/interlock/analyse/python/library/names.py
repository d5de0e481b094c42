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
