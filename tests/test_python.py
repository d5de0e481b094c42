"""The Python analyser: imports, constants and calls."""

from __future__ import annotations

import pytest

from tests.reading import effects, python

ROOT = "fs.delete file:/ force recursive top"

SAME_EFFECT = [
    "import os; os.system('rm -rf /')",
    "import os as o; o.system('rm -rf /')",
    "from os import system; system('rm -rf /')",
    "from os import system as s; s('rm -rf /')",
    "__import__('os').system('rm -rf /')",
    "import importlib; importlib.import_module('os').system('rm -rf /')",
    "import os; getattr(os, 'sys' + 'tem')('rm -rf /')",
    "import subprocess; subprocess.run(['rm', '-rf', '/'])",
    "import subprocess; subprocess.run('rm -rf /', shell=True)",
    "import subprocess; subprocess.Popen(args=['rm', '-rf', '/'])",
    "from subprocess import check_output as c; c(['rm', '-rf', '/'])",
    "import os; os.execvp('rm', ['rm', '-rf', '/'])",
    "import os\nx = 'rm'\ny = f'{x} -rf /'\nos.system(y)",
    "import os; os.system('{} -rf {}'.format('rm', '/'))",
    "import os; os.system(' '.join(['rm', '-rf', '/']))",
    "import os; os.system('/ fr- mr'[::-1])",
    "import os; os.system('%s -rf /' % 'rm')",
    "import os, base64; os.system(base64.b64decode('cm0gLXJmIC8=').decode())",
    "import os; os.system(bytes.fromhex('726d202d7266202f').decode())",
    "exec('import os; os.system(\"rm -rf /\")')",
    "eval(\"__import__('os').system('rm -rf /')\")",
    "def f():\n    import os\n    os.system('rm -rf /')",
    "import os\nfor d in ['/']:\n    os.system('rm -rf ' + d)",
    "import os\nif x:\n    os.system('rm -rf /')",
    "import os\nclass A:\n    y = os.system('rm -rf /')",
    "import os\n[os.system('rm -rf /') for _ in range(3)]",
]


@pytest.mark.parametrize("code", SAME_EFFECT)
def test_one_effect_however_it_is_written(code: str) -> None:
    assert ROOT in effects(python(code))


EFFECTS = [
    ("print('x')", ["out.print"]),
    ("open('x')", ["fs.read file:/home/u/project/x"]),
    ("open('x', 'rb')", ["fs.read file:/home/u/project/x"]),
    ("open('x', mode='a')", ["fs.write file:/home/u/project/x"]),
    ("with open('/etc/x', 'w') as f:\n    f.write('y')", ["fs.write file:/etc/x"]),
    ("from pathlib import Path\nPath('/etc/x').unlink()", ["fs.delete file:/etc/x"]),
    ("from pathlib import Path\np = Path('/etc') / 'x'\np.write_text('y')", ["fs.write file:/etc/x"]),
    ("import shutil; shutil.rmtree('/srv/x')", ["fs.delete file:/srv/x library recursive"]),
    ("import requests; requests.get('https://example.com')", ["net.fetch url:https://example.com"]),
    ("import requests; requests.post('https://example.com')", ["net.send url:https://example.com"]),
    ("import requests\ns = requests.Session()\ns.put('https://example.com')", ["net.send url:https://example.com"]),
    ("import urllib.request\nurllib.request.urlopen('http://x.org', data=b'y')", ["net.send url:http://x.org"]),
    ("cursor.execute('DELETE FROM users')", ["db.delete table:users unbounded"]),
    ("cursor.execute(f'DELETE FROM {t}')", ["db.delete table:t unbounded"]),
    ("import os; os.remove(path)", ["fs.delete file:$path"]),
    ("import os; os.environ['KEY']", ["env.read"]),
    ("x = 1 + 2", []),
    ("'{}'.format(x)", []),
    ("items.remove(3)", []),
    ("import urllib.parse; urllib.parse.quote('x')", []),
    ("'rm -rf /'", []),
    ("# os.remove('x')", []),
]


@pytest.mark.parametrize(("code", "expected"), EFFECTS)
def test_what_code_does(code: str, expected: list[str]) -> None:
    assert effects(python(code)) == expected


PARTIAL = [
    "eval(x)",
    "exec(make())",
    "import pickle; pickle.loads(x)",
    "import os; os.system(x)",
    "import os; os.system(f())",
]


@pytest.mark.parametrize("code", PARTIAL)
def test_what_cannot_be_computed_is_said(code: str) -> None:
    assert not python(code).coverage.full


def test_text_that_is_not_python_is_read_as_what_it_is() -> None:
    found = python("rm -rf / && echo done")
    assert ROOT in effects(found)
    assert not found.coverage.full


def test_constants_do_not_grow_without_bound() -> None:
    assert effects(python("x = 'a' * 10**12\ny = 2 ** 10**9\nz = [0] * 10**10\nprint(x)")) == ["out.print"]
