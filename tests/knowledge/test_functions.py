"""The descriptions of functions hold together: examples show what each means, and every word of them has code."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import msgspec
import pytest

from interlock.analyse.examples import find_broken_examples
from interlock.analyse.python.calls.special_calls import READERS
from interlock.analyse.scripts.awk import AWK
from interlock.analyse.scripts.lisp import LISP
from interlock.analyse.scripts.syntaxes import SYNTAXES
from interlock.effects import KINDS
from interlock.errors import ConfigError
from interlock.knowledge import artefact
from interlock.knowledge.catalogue import PROGRAMS, read_functions
from interlock.knowledge.function import CASELESS, FunctionFile
from interlock.knowledge.function_words import FUNCTION_LANGUAGES, PYTHON_READERS
from interlock.knowledge.sources import check_cmdlet_names, group_functions, read_text
from interlock.knowledge.sources import read_cmdlets as read_cmdlet_source
from interlock.knowledge.sources import read_functions as read_source
from tests.knowledge.mutants import cmdlet_survivors, function_entries, function_survivors

FOLDER = Path(artefact.FOLDER) / "functions"
FILES = sorted(FOLDER.rglob("*.toml"))


def name_of(file: Path) -> str:
    return file.relative_to(FOLDER).as_posix()


@cache
def read(file: Path) -> FunctionFile:
    return read_source(read_text(file), str(file))


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_examples_hold_and_every_function_has_one_that_misses_it(file: Path) -> None:
    described = read(file)
    assert [function.names[0] for function in described.functions if not function.examples] == []
    assert [str(broken) for broken in find_broken_examples(described)] == []
    assert [function.names[0] for function in function_survivors(described)] == []


def test_a_function_without_an_example_is_found() -> None:
    whole = read(FOLDER / "python" / "files.toml")
    bare = [msgspec.structs.replace(function, examples=()) for function in whole.functions]
    bare_file = msgspec.structs.replace(whole, functions=tuple(bare))
    assert list(function_survivors(bare_file)) == list(function_entries(bare_file)) != []


CMDLETS = sorted((Path(artefact.FOLDER) / "cmdlets").glob("*.toml"))


@pytest.mark.parametrize("file", CMDLETS, ids=lambda file: str(file.stem))
def test_examples_of_cmdlets_hold_and_every_cmdlet_has_one_that_misses_it(file: Path) -> None:
    described = read_cmdlet_source(read_text(file), str(file))
    assert [cmdlet.names[0] for cmdlet in described.cmdlets if not cmdlet.examples] == []
    assert [str(broken) for broken in find_broken_examples(described)] == []
    assert [cmdlet.names[0] for cmdlet in cmdlet_survivors(described)] == []
    bare = [msgspec.structs.replace(cmdlet, examples=()) for cmdlet in described.cmdlets]
    assert list(cmdlet_survivors(msgspec.structs.replace(described, cmdlets=tuple(bare)))) == bare


GOOD_CMDLET = """\
[[cmdlets]]
names = ["Remove-Acme"]
does = "infra.destroy"
positional = ["Name"]
piped = "Name"
result = { is = "input", from = ["secret"] }
parameters = { "Name Id" = "subject", Log = "fs.write" }
switches = { Force = ["force"] }

[[cmdlets.examples]]
code = "Remove-Acme x"
effects = [{ does = "infra.destroy" }]
"""

WRONG_CMDLET = [
    ('names = ["Remove-Acme"]', 'names = ["Remove Acme"]', "2: `names` must list the names of cmdlets, one word each"),
    ('["Remove-Acme"]', '["Remove-Acme", "remove-acme"]', "2: `remove-acme` is described twice"),
    ("infra.destroy", "infra.destory", "3: unknown kind of effect `infra.destory` in `does`; did you mean"),
    ("positional", "order", "4: unknown key `order`"),
    ('piped = "Name"', 'piped = "Nam"', "5: unknown parameter `Nam` in `piped`; did you mean `Name`?"),
    ('is = "input"', 'is = "inputs"', "6: unknown result `inputs` in `is`; did you mean `input`?"),
    ('is = "input"', 'computed = "same"', "6: `computed` is not for cmdlets"),
    ('"subject"', '"subjct"', "7: unknown role `subjct` in `Name Id`; did you mean `subject`?"),
    ('["force"]', '["foce"]', "8: unknown flag `foce` in `Force`; did you mean `force`?"),
    ('code = "Remove-Acme x"', 'code = ""', "11: `code` must be a piece of code"),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG_CMDLET)
def test_a_mistake_in_a_cmdlet_is_named(old: str, new: str, message: str) -> None:
    assert read_cmdlet_source(GOOD_CMDLET, "acme.toml").cmdlets
    assert old in GOOD_CMDLET
    with pytest.raises(ConfigError) as caught:
        read_cmdlet_source(GOOD_CMDLET.replace(old, new, 1), "acme.toml")
    assert f"acme.toml:{message}" in str(caught.value)


def test_a_cmdlet_is_described_once() -> None:
    described = read_cmdlet_source(GOOD_CMDLET, "acme.toml")
    with pytest.raises(ConfigError, match=r"b.toml: `remove-acme` is described in `a.toml` already"):
        check_cmdlet_names({"a.toml": described, "b.toml": described})


def test_every_language_of_functions_is_described_and_read() -> None:
    syntaxes = {*SYNTAXES, AWK.name, LISP.name}
    assert set(FUNCTION_LANGUAGES) == PROGRAMS.index.functions.keys() == syntaxes | {"python", "powershell"}
    assert {name for name, syntax in SYNTAXES.items() if syntax.folds} | {"powershell"} == CASELESS


def test_every_reader_of_python_has_code() -> None:
    assert READERS.keys() == PYTHON_READERS.keys()


@pytest.mark.parametrize("language", FUNCTION_LANGUAGES)
def test_a_class_that_a_function_gives_has_methods(language: str) -> None:
    names = read_functions(language)
    classes = {one.result.kind for one in names.values() if one.result.kind}
    read_by_code = {"archive", "file", "interlock.Gate"}
    assert {
        one
        for one in classes - read_by_code
        if not one.startswith("cloud.") and not any(name.startswith(f"{one}.") for name in names)
    } == set()


GOOD = """\
language = "python"

[[functions]]
names = ["acme.wipe"]
arguments = { first = "fs.delete", object = "fs.read" }
effects = ["infra.destroy"]
flags = ["recursive"]
result = { is = "acme.Client" }

[[functions.examples]]
code = "import acme; acme.wipe('x')"
effects = [{ does = "fs.delete" }]
"""

WRONG = [
    ('language = "python"', 'language = "pyton"', "1: unknown language `pyton` in `language`; did you mean `python`?"),
    ('names = ["acme.wipe"]', 'names = ["acme wipe"]', "4: `names` must list the functions' names, one word each"),
    ('names = ["acme.wipe"]', 'names = [".wipe"]', "4: `.wipe` must name the class of the method: `module.Class.wipe`"),
    ('names = ["acme.wipe"]', 'name = "acme.wipe"', "4: unknown key `name`; did you mean `names`?"),
    ('"acme.wipe"]', '"acme.wipe", "acme.wipe"]', "4: `acme.wipe` is described twice"),
    ("first =", "frist =", "5: unknown argument `frist`; did you mean `first`?"),
    ("first =", "together =", "5: unknown argument `together`"),
    ('first = "fs.delete"', 'first = "fs.delet"', "5: unknown role `fs.delet` in `first`; did you mean `fs.delete`?"),
    ('first = "fs.delete"', 'first = "file_or_url"', "5: unknown role `file_or_url`"),
    ('["infra.destroy"]', '["infra.destory"]', "6: unknown kind of effect `infra.destory` in `effects`; did you mean"),
    ('["recursive"]', '["recursiv"]', "7: unknown flag `recursiv` in `flags`; did you mean `recursive`?"),
    ("is =", "gives =", "8: unknown key `gives`"),
    ('is = "acme.Client"', 'from = ["downlod"]', "8: unknown flag `downlod` in `from`; did you mean `download`?"),
    (
        'is = "acme.Client"',
        'computed = "bas64"',
        "8: unknown computed result `bas64` in `computed`; did you mean `base64`?",
    ),
    ('flags = ["recursive"]', 'reader = "comand"', "7: unknown reader `comand` in `reader`; did you mean `command`?"),
    ("code = \"import acme; acme.wipe('x')\"", 'code = ""', "11: `code` must be a piece of code"),
    (
        'does = "fs.delete" }',
        'does = "fs.delet" }',
        "12: unknown kind of effect `fs.delet` in `effects`; did you mean `fs.delete`?",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_a_mistake_is_named(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ConfigError) as caught:
        read_source(GOOD.replace(old, new, 1), "acme.toml")
    assert f"acme.toml:{message}" in str(caught.value)


def test_a_function_is_described_once_and_in_the_folder_of_its_language() -> None:
    described = read_source(GOOD, "acme.toml")
    with pytest.raises(ConfigError, match=r"python/b.toml: `acme.wipe` is described in `functions/python/a.toml`"):
        group_functions({0: ("functions/python/a.toml", described), 1: ("functions/python/b.toml", described)})
    with pytest.raises(ConfigError, match="`python` functions belong into `functions/python`"):
        group_functions({0: ("functions/ruby/a.toml", described)})


DECODED = """
import sys
from interlock import Action, Engine
from interlock.knowledge.catalogue import PROGRAMS
engine = Engine()
for action in (Action.shell("git push -f; rm -rf x"), Action.python("import os; os.remove('x')")):
    engine.decide(action)
    print(sorted(PROGRAMS._functions), "interlock.knowledge.function" in sys.modules)
"""


def test_functions_are_decoded_by_language_when_code_calls_them() -> None:
    done = subprocess.run([sys.executable, "-c", DECODED], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[] False", "['python'] True"]


#: Cmdlets with other words for the same: attributes of registry keys, and settings that are only shown.
WORDED_APART = frozenset(
    "set-itemproperty new-itemproperty remove-itemproperty clear-itemproperty get-mppreference "
    "get-mpcomputerstatus".split()
)


def test_a_cmdlet_has_the_same_kinds_of_effects_in_powershell_and_in_another_shell() -> None:
    cmdlets = {name: cmdlet for name, cmdlet in PROGRAMS.cmdlets().items() if name in PROGRAMS.index.windows}
    assert len(cmdlets) > len(WORDED_APART)
    different = set()
    for name, cmdlet in cmdlets.items():
        program = PROGRAMS[name]
        values = (option.value for option in program.options.values())
        in_shell = KINDS.keys() & {program.does, *program.operands.roles, *values}
        if in_shell != KINDS.keys() & {cmdlet.does, *cmdlet.roles.values()}:
            different.add(name)
    assert different == WORDED_APART


def test_cmdlets_stay_known_when_a_source_is_edited_while_the_process_runs() -> None:
    held = PROGRAMS.cmdlets()
    PROGRAMS._renew()
    assert held is PROGRAMS.cmdlets()
    assert "remove-item" in held
