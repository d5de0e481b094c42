"""A script knows where its file is and which arguments it gets, and a test which folders pytest makes for it."""

from __future__ import annotations

import pytest

from tests.test_earlier_calls import HOME, PROJECT, Call, verdicts


def write(path: str, content: str) -> Call:
    return ("Write", {"file_path": f"{PROJECT}/{path}", "content": content})


def script(*lines: str) -> Call:
    return write("scripts/tidy.py", "\n".join(("import os, shutil, sys", "from pathlib import Path", *lines, "")))


def with_test(*lines: str) -> Call:
    return write("tests/test_tidy.py", "\n".join(("import pytest, shutil", "from pathlib import Path", *lines, "")))


RUN = "python scripts/tidy.py"
MODULE = script(
    "def empty(folder):",
    "    for old in sorted(Path(folder).iterdir())[3:]:",
    "        shutil.rmtree(old)",
    "if __name__ == '__main__':",
    "    empty(sys.argv[1])",
)
IMPORTED = "from scripts.tidy import empty"
PICKED = write("clean.sh", 'out=$(jq -r .paths.out settings.json)\nrm -rf "$out"\n')

PASSING: dict[str, list[Call]] = {
    "a folder beside the script": [script("shutil.rmtree(Path(__file__).parent.parent / 'build')"), RUN],
    "a resolved folder": [script("shutil.rmtree(Path(__file__).resolve().parents[1] / 'dist')"), RUN],
    "a joined folder": [
        script("here = os.path.dirname(os.path.abspath(__file__))", "shutil.rmtree(os.path.join(here, '../.tox'))"),
        RUN,
    ],
    "an argument": [MODULE, f"{RUN} build/old"],
    "an argument of a module": [MODULE, "python -m scripts.tidy tmp/old"],
    "an imported argument": [script("from sys import argv", "shutil.rmtree(argv[1])"), f"{RUN} htmlcov"],
    "a folder of a test": [MODULE, with_test(IMPORTED, "def test_it(tmp_path):", "    empty(tmp_path)"), "pytest -q"],
    "folders of fixtures": [
        with_test(
            "@pytest.fixture",
            "def shop(tmp_path_factory, tmpdir):",
            "    yield tmp_path_factory.mktemp('shop')",
            "    shutil.rmtree(tmpdir)",
        ),
        "pytest -q tests/test_tidy.py",
    ],
    "a picked path": [write("settings.json", '{"paths": {"out": "build"}}'), PICKED, "bash clean.sh"],
    "a picked path in YAML": [
        write("settings.yml", "paths:\n  out: dist  # made anew\n"),
        'rm -rf "$(yq .paths.out settings.yml)"',
    ],
}


@pytest.mark.parametrize("name", PASSING)
def test_known_paths_of_build_output_pass(name: str) -> None:
    assert all(verdicts(*PASSING[name]))


STOPPED: dict[str, list[Call]] = {
    "a folder above": [script("shutil.rmtree(Path(__file__).parents[2] / 'Documents')"), RUN],
    "a joined folder above": [
        script("shutil.rmtree(os.path.join(os.path.dirname(__file__), '../../Pictures'))"),
        RUN,
    ],
    "another name for the file": [
        script(f"__file__ = '{HOME}/Documents/a'", "shutil.rmtree(Path(__file__).parent)"),
        RUN,
    ],
    "an argument": [MODULE, f"{RUN} ~/Documents"],
    "an unknown argument": [MODULE, f'{RUN} "$FOLDER"'],
    "an argument of a module": [MODULE, "python -m scripts.tidy ~/Pictures"],
    "arguments that a program adds": [MODULE, f"cat folders.txt | xargs {RUN}"],
    "an argument for each file": [MODULE, f"find ~ -name old -exec {RUN} {{}} \\;"],
    "arguments that are matched": [script("shutil.rmtree(sys.argv[2])"), f"{RUN} * build"],
    "a test that names a folder": [
        MODULE,
        with_test(IMPORTED, "def test_it(tmp_path):", f"    empty('{HOME}/Documents')"),
        "pytest -q",
    ],
    "a parameter with a value": [
        with_test("def test_it(tmp_path=Path('/home/u/Documents')):", "    shutil.rmtree(tmp_path)", "test_it()"),
        "pytest -q",
    ],
    "a program in a module": [
        with_test("__name__ = '__main__'", "if __name__ == '__main__':", f"    shutil.rmtree('{HOME}/Documents')"),
        "pytest -q",
    ],
    "a picked path": [write("settings.json", f'{{"paths": {{"out": "{HOME}/Documents"}}}}'), PICKED, "bash clean.sh"],
    "one of several documents": [
        write("settings.yml", f"out: {HOME}/Documents\n---\nout: build\n"),
        'rm -rf "$(yq .out settings.yml)"',
    ],
    "a picked path of an unknown file": ['rm -rf "$(jq -r .out settings.json)"'],
}


@pytest.mark.parametrize("name", STOPPED)
def test_other_paths_need_approval(name: str) -> None:
    assert not verdicts(*STOPPED[name])[-1]
