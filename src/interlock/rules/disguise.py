"""Code that hides what it is, or where it runs."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "disguise",
    Rule(
        name="decoded_code",
        level=Level.HIGH,
        when=(effect("code.eval", "decoded"), effect("code.opaque", "decoded")),
        reason="Code that was encoded to be unreadable would run",
        reversible=False,
        match=[
            "$ base64 -d payload.b64 | sh",
            '$ eval "$(echo $X | base64 -d)"',
            "$ xxd -r -p payload.hex | bash",
            "$ openssl enc -d -aes-256-cbc -in x.enc | sh",
            "$ node -e 'eval(Buffer.from(process.env.P, \"base64\").toString())'",
            ">>> import base64; exec(base64.b64decode('cHJpbnQoMSk='))",
            ">>> import marshal; exec(marshal.loads(blob))",
            ">>> import zlib; exec(zlib.decompress(data))",
            ">>> from cryptography.fernet import Fernet; exec(Fernet(key).decrypt(text))",
            ">>> import subprocess, base64; subprocess.run(['python', '-c', base64.b64decode(x)])",
            ">>> exec(''.join(chr(n) for n in [112, 114, 105, 110, 116, 40, 49, 41]))",
        ],
        no_match=[
            "$ base64 -d payload.b64",
            "$ base64 -d image.b64 > image.png",
            "$ gunzip -c dump.sql.gz | psql app",
            "$ echo bHM= | base64 -d | sh",
            ">>> import base64; base64.b64decode('cHJpbnQoMSk=')",
            ">>> exec('print(1)')",
            ">>> import base64; model.eval(base64.b64decode(x))",
        ],
    ),
    Rule(
        name="hidden_code",
        level=Level.CRITICAL,
        grave=True,
        when=effect("code.eval", "hidden"),
        reason="Code that was hidden in a picture would run",
        reversible=False,
        match=[
            ">>> from stegano import lsb; exec(lsb.reveal('x.png'))",
            ">>> import stegano\ncode = stegano.lsb.reveal('x.png')\neval(code)",
        ],
        no_match=[">>> from stegano import lsb; lsb.reveal('x.png')"],
    ),
    Rule(
        name="detour_to_code",
        level=Level.HIGH,
        when=effect("code.eval", "detour"),
        reason="A function that runs code is reached by a detour, as by someone who hides it",
        match=[
            ">>> vars(__builtins__)['exec']('print(1)')",
            ">>> import os; getattr(os, 'sys' + 'tem')('ls')",
            ">>> globals()['__builtins__'].__dict__['eval']('1')",
        ],
        no_match=[">>> exec('print(1)')", ">>> getattr(settings, 'HOST')", ">>> import os; os.system('ls')"],
    ),
    Rule(
        name="lookalike_names",
        level=Level.HIGH,
        when=effect("code.eval", "lookalike"),
        reason="Names in letters that only look plain are written to be overlooked",
        match=[">>> import \U0001d698\U0001d69c", ">>> \uff45\uff56\uff41\uff4c('1')"],
        no_match=[">>> print('\U0001d698')", ">>> größe = 1", ">>> x = 1  # \U0001d698"],
    ),
    Rule(
        name="memory_injection",
        level=Level.CRITICAL,
        grave=True,
        when=effect("code.opaque", "injection"),
        reason="Machine code is put into memory and started there, past every check",
        reversible=False,
        match=[
            ">>> import ctypes; ctypes.windll.kernel32.VirtualAlloc(0, 4096, 0x3000, 0x40)",
            ">>> from ctypes import *\nk = windll.kernel32\nk.CreateRemoteThread(h, None, 0, a, b, 0, c)",
        ],
        no_match=[">>> import ctypes; ctypes.windll.kernel32.GetTickCount()"],
    ),
    Rule(
        name="disguised_library",
        level=Level.HIGH,
        when=effect("code.opaque", "false_ending"),
        reason="A native library under the name of another kind of file hides what it is",
        match=[
            ">>> import ctypes; ctypes.CDLL('data.txt')",
            ">>> import ctypes, os; ctypes.CDLL(os.path.join(here, '_build.py'))",
        ],
        no_match=[">>> import ctypes; ctypes.CDLL('libc.so.6')"],
    ),
    Rule(
        name="unseen_program",
        level=Level.HIGH,
        when=effect("process.spawn", "unseen"),
        reason="A program is started so that nobody sees it",
        match=[
            ">>> import subprocess; subprocess.Popen(path, creationflags=subprocess.CREATE_NO_WINDOW)",
            ">>> import subprocess as s; s.Popen(['./x'], stdin=s.DEVNULL, stdout=s.DEVNULL, stderr=s.DEVNULL)",
        ],
        no_match=[
            ">>> import subprocess as s; s.run(['git', 'status'], stdin=s.DEVNULL, stdout=s.DEVNULL, stderr=s.DEVNULL)",
            ">>> import subprocess as s; s.Popen(path, stdout=s.PIPE)",
        ],
    ),
    Rule(
        name="disguised_text",
        level=Level.HIGH,
        when=effect("code.opaque", "disguised"),
        reason="The text is written so that it does not look like what it does",
        match=["$ /???/b?sh -c ls", "$ /bin/c?t notes"],
        no_match=["$ ls *.txt", "$ [ -f x ]"],
    ),
    Rule(
        name="invisible_characters",
        level=Level.HIGH,
        when=effect("code.opaque", "invisible"),
        reason="Characters in the text make it look different from what it is",
        match=["$ echo '\u202els'", ">>> x = 'a\u2066b'"],
        no_match=["$ echo 'שלום'", "$ echo '👩\u200d💻'"],
    ),
)
