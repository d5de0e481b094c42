"""Typical mistakes in descriptions: each is named once, with its line, its key and what to write instead."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.cli import main
from interlock.cli.knowledge_review import find_mistakes
from interlock.config.load import load
from interlock.errors import ConfigError
from interlock.knowledge.sources import MAX_BYTES

PROGRAM = """\
names = ["shipit"]
docs = "https://wiki.example.com/shipit"
does = "infra.read"

[options]
"-c --config" = { value = "fs.read" }
"--hook" = { value = "code:shell" }

[commands.deploy]
also = ["release"]
does = "deploy.release"
operands = { first = ["data"] }

[[commands.deploy.examples]]
run = "shipit deploy"
effects = [{ does = "deploy.release" }]
"""
CLIENT = """\
names = ["acmecloud"]

[client]
verb_from = 1

[[calls]]
commands = ["keys rotate"]
makes = "secret.read"

[[values]]
options = ["--access"]
matches = "^public$"
flags = ["public"]
"""
TOOLS = """\
service = "Payments"

[tools.create_refund]
also = ["refund_payment"]
does = "payment.send"
arguments = { receipt = "fs.read" }

[[tools.create_refund.examples]]
call = { amount = 1200 }
effects = [{ does = "payment.send" }]
"""
FUNCTIONS = """\
language = "python"

[[functions]]
names = ["acme.connect"]
arguments = { first = "net.connect" }
result = { is = "acme.Client" }

[[functions.examples]]
code = "import acme; acme.connect('db.example.com')"
effects = [{ does = "net.connect" }]
"""
CMDLETS = """\
docs = "https://wiki.example.com/acme"

[[cmdlets]]
names = ["Remove-AcmeTenant"]
does = "infra.destroy"
positional = ["Name"]

[cmdlets.parameters]
"Name Id" = "subject"

[cmdlets.switches]
Force = ["force"]
"""
WRONG = [
    (PROGRAM, '["shipit"]', '"shipit"', '1: `names` must be a list, found `"shipit"`; write `["shipit"]`'),
    (PROGRAM, "names =", "name =", "1: unknown key `name`; did you mean `names`?"),
    (
        PROGRAM,
        '["shipit"]',
        '["/opt/bin/shipit"]',
        "1: `/opt/bin/shipit` has a folder; a name holds wherever the program is: `shipit`",
    ),
    (
        PROGRAM,
        '"infra.read"',
        '"force"',
        '3: `force` is a flag, not a kind of effect; write `flags = ["force"]`',
    ),
    (
        PROGRAM,
        'does = "infra.read"',
        'flags = ["infra.read"]',
        '3: `infra.read` is a kind of effect, not a flag; write `does = "infra.read"`',
    ),
    (PROGRAM, 'does = "infra.read"', 'kind = "infra.read"', "3: unknown key `kind`; did you mean `does`?"),
    (PROGRAM, 'does = "infra.read"', "filters = 1", "3: `filters` must be true or false, found `1`"),
    (
        PROGRAM,
        'does = "infra.read"',
        "operands_before_command = -1",
        "3: `operands_before_command` must be 0 or more, found `-1`",
    ),
    (
        PROGRAM,
        '"-c --config"',
        '"-c, --config"',
        "6: `-c,` is not an option; between spellings are spaces: `-c --config`",
    ),
    (
        PROGRAM,
        '"-c --config"',
        '"--config=FILE"',
        "6: `--config=FILE` has a value; write `--config`, and say by `value` what it is",
    ),
    (
        PROGRAM,
        '{ value = "fs.read" }',
        '"fs.read"',
        '6: `-c --config` must be a table, found `"fs.read"`; its keys are `flags`, `value`',
    ),
    (PROGRAM, '{ value = "fs.read" }', '{ role = "fs.read" }', "6: unknown key `role`; did you mean `value`?"),
    (PROGRAM, '"fs.read"', '"file"', "6: unknown role `file` in `value`; did you mean `fs.read`?"),
    (PROGRAM, "code:shell", "code:bash", "7: unknown role `code:bash` in `value`; did you mean `code:shell`?"),
    (PROGRAM, '"code:shell"', '"code"', "7: unknown role `code` in `value`; write the language too: `code:shell`"),
    (
        PROGRAM,
        '"fs.read"',
        '"force"',
        '6: `force` in `value` is a flag, not a role; write `flags = ["force"]`',
    ),
    (
        PROGRAM,
        '{ value = "fs.read" }',
        "{ optional = true }",
        "6: `optional` is for an option with a `value`; say by `value` what it is",
    ),
    (
        PROGRAM,
        'does = "infra.read"',
        'also = ["ship"]',
        "3: `also` is for commands; write other names of the program into `names`",
    ),
    (PROGRAM, 'does = "infra.read"', 'aliases = ["ship"]', "3: unknown key `aliases`; did you mean `names`?"),
    (PROGRAM, '"infra.read"', '"infra.read', "3: this is not TOML: illegal character '\\n'; a quote is not closed"),
    (
        PROGRAM,
        '"--hook" =',
        'docs = "x"\n"--hook" =',
        "7: `docs` stands in the table `options`; move it above the first `[table]`",
    ),
    (
        PROGRAM,
        'also = ["release"]',
        "client = {}",
        "10: `client` stands in the table `commands.deploy`; move it above the first `[table]`",
    ),
    (
        PROGRAM,
        "[commands.deploy]",
        '[commands."deploy web"]',
        "9: the command `deploy web` is more than one word; write `[commands.deploy.commands.web]`",
    ),
    (
        PROGRAM,
        '{ first = ["data"] }',
        '["data"]',
        '12: `operands` must be a table, found `["data"]`; its keys are `first`, `rest`, `last`',
    ),
    (
        PROGRAM,
        "[[commands.deploy.examples]]",
        "[commands.deploy.examples]",
        "14: `examples` must be a list, found a table; write `[[commands.deploy.examples]]`",
    ),
    (
        PROGRAM,
        '[{ does = "deploy.release" }]',
        '"deploy.release"',
        '16: `effects` must be a list, found `"deploy.release"`; write `[{ does = "deploy.release" }]`',
    ),
    (PROGRAM, "[commands.deploy]", "[options]", "9: this is not TOML: the table `options` is there twice"),
    (PROGRAM, '"infra.read"', "read", "3: this is not TOML: invalid value; text stands in quotes"),
    (
        PROGRAM,
        '"infra.read"',
        "infra.read",
        "3: this is not TOML: expected newline or end of document after a statement",
    ),
    (CLIENT, "verb_from = 1", "verb_from = -1", "4: `verb_from` must be 0 or more, found `-1`"),
    (CLIENT, "verb_from = 1", 'prepares = "no"', "4: unknown kind of effect `no` in `prepares`"),
    (CLIENT, '["keys rotate"]', '["a b c d e"]', "7: `a b c d e` has more than 4 words, so it is never found"),
    (CLIENT, '["keys rotate"]', '["keys", "keys"]', "7: the command `keys` is described twice"),
    (CLIENT, '["keys rotate"]', '["keys -v"]', "7: `keys -v` has the option `-v`, and names commands only"),
    (CLIENT, "makes =", "does =", "8: unknown key `does`; did you mean `makes`?"),
    (CLIENT, '["--access"]', '["access"]', "11: `access` is not an option; options begin with `-`"),
    (TOOLS, '["refund_payment"]', '["create-refund"]', "3: the tool `create-refund` is described twice"),
    (TOOLS, 'service = "Payments"', 'reads = ["create_refund"]', "1: the tool `create_refund` is described as well"),
    (TOOLS, 'service = "Payments"', 'docs = "wiki"', "1: `docs` must be an https URL, found `wiki`"),
    (TOOLS, "arguments", 'operations = { do = { a = "x" } }\narguments', "6: unknown kind of effect `x` in `a`"),
    (
        TOOLS,
        "arguments",
        'operations = { do = { a = "tool.read", "b a" = "tool.draft" } }\narguments',
        "6: the operation `a` is described twice",
    ),
    (
        TOOLS,
        "arguments",
        'operations = { to = { all = { does = "message.send", flags = ["manny"] } } }\narguments',
        "6: unknown flag `manny` in `all`",
    ),
    (TOOLS, "arguments", 'operations = { to = { all = "x" } }\narguments', "6: unknown kind of effect `x` in `all`"),
    (TOOLS, "arguments =", "args =", "6: unknown key `args`; did you mean `arguments`?"),
    (
        TOOLS,
        "[tools.create_refund]",
        "[[tools.create_refund]]",
        "3: `create_refund` must be a table, found a list of tables; write `[tools.create_refund]`",
    ),
    (FUNCTIONS, '"python"', '"py"', "1: unknown language `py` in `language`; did you mean `python`?"),
    (FUNCTIONS, '["acme.connect"]', '["acme::connect()"]', "4: `acme::connect()` is written with dots, and without"),
    (FUNCTIONS, "result = { is", "result = { kind", "6: unknown key `kind`; did you mean `is`?"),
    (FUNCTIONS, "result =", 'does = "db.drop"\nx =', "6: unknown key `does`; did you mean `effects`?"),
    (CMDLETS, '"Name Id"', '"-Name -Id"', "9: `-Name` is written without the `-`: `Name`"),
    (CMDLETS, "Force =", "name =", "12: the parameter `name` is described twice"),
    (CMDLETS, "https://", "http://", "1: `docs` must be an https URL"),
]


@pytest.mark.parametrize(("good", "old", "new", "message"), WRONG, ids=[row[3] for row in WRONG])
def test_a_mistake_is_named_once(good: str, old: str, new: str, message: str) -> None:
    assert find_mistakes(good, "x.toml") == []
    assert good.count(old)
    found = [str(mistake).removeprefix("x.toml:") for mistake in find_mistakes(good.replace(old, new, 1), "x.toml")]
    assert found[0].startswith(message)
    assert not any("is missing" in one for one in found)


def test_tables_may_not_be_nested_without_end() -> None:
    deep = f'names = ["x"]\n[{".".join(["commands.a"] * 2_000)}]\ndoes = "fs.read"\n'
    assert [str(mistake) for mistake in find_mistakes(deep, "x.toml")] == [
        "x.toml: tables are nested more than 40 deep"
    ]


def test_a_byte_order_mark_does_no_harm() -> None:
    assert find_mistakes("\ufeff" + PROGRAM, "x.toml") == []
    broken = "\ufeff" + PROGRAM.replace("names =", "name =")
    assert [mistake.line for mistake in find_mistakes(broken, "x.toml")] == [1]


@pytest.mark.parametrize("text", ["", "# to do\n"])
def test_an_empty_file_says_what_it_needs(text: str) -> None:
    message = (
        "x.toml:1: describes nothing; it needs `names` for a program, or `[tools]`, `[[functions]]` or `[[cmdlets]]`"
    )
    assert [str(mistake) for mistake in find_mistakes(text, "x.toml")] == [message]


def test_a_missing_name_has_a_line() -> None:
    assert [str(mistake) for mistake in find_mistakes('does = "fs.read"\n', "x.toml")] == [
        "x.toml:1: `names` is missing"
    ]


# files of the user


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "own" / "knowledge"
    folder.mkdir(parents=True)
    monkeypatch.setenv("INTERLOCK_HOME", str(folder.parent))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize("text", [PROGRAM, TOOLS, FUNCTIONS, CMDLETS], ids=["program", "tool", "function", "cmdlet"])
def test_two_own_files_cannot_describe_the_same(own: Path, text: str) -> None:
    for name in ("a.toml", "b.toml"):
        (own / name).write_text(text)
    with pytest.raises(ConfigError, match=r"b.toml:\d: `.*` is described in `.*a.toml` already; keep one of the two"):
        load()
    assert main(["knowledge", "check"]) == 1


def _make_loop(file: Path) -> None:
    file.symlink_to(file.name)


def _make_huge(file: Path) -> None:
    file.write_text(PROGRAM + "#" * MAX_BYTES)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_make_loop, "cannot be read: too many levels of symbolic links"),
        (_make_huge, "is 4 MB large, and may have 4 MB"),
        (os.mkfifo, "is a named pipe, not a file"),
        (os.mkdir, "is a folder, not a file"),
    ],
)
def test_what_is_no_ordinary_file_is_refused(
    own: Path, make: Callable[[Path], None], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own / "x.toml"
    make(file)
    with pytest.raises(ConfigError, match=re.escape(f"{file}: {message}")):
        load()
    assert main(["knowledge", "check"]) == 1
    assert message in capsys.readouterr().out


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("shpit.toml", r"interlock.toml:1: there is no file `.*/shpit.toml`; did you mean `shipit.toml`\?"),
        (".", r"interlock.toml:1: `.*` is a folder; name the files in it"),
    ],
)
def test_a_configuration_that_names_no_file_says_which(own: Path, named: str, message: str) -> None:
    (own.parent.parent / "shipit.toml").write_text(PROGRAM)
    (own.parent.parent / "interlock.toml").write_text(f'knowledge = ["{named}"]\n')
    with pytest.raises(ConfigError, match=message):
        load()


def test_tools_of_the_user_have_no_service_names(own: Path) -> None:
    (own / "tools.toml").write_text(TOOLS.replace('service = "Payments"', 'names = ["payments"]'))
    with pytest.raises(ConfigError, match=r"`names` is for services that ship with Interlock; write"):
        load()


@pytest.mark.parametrize(
    ("text", "old", "message"),
    [
        (TOOLS, "[[tools.create_refund.examples]]", "x.toml:12: `other` has no example"),
        (FUNCTIONS, "[[functions.examples]]", "x.toml:12: `other` has no example"),
    ],
)
def test_each_tool_and_function_needs_an_example(
    own: Path, text: str, old: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = '\n[tools.other]\ndoes = "tool.read"\n' if text is TOOLS else '\n[[functions]]\nnames = ["other"]\n'
    file = own / "x.toml"
    file.write_text(text + more)
    assert main(["knowledge", "check", str(file)]) == 1
    assert message in capsys.readouterr().out
    file.write_text(text)
    assert main(["knowledge", "check", str(file)]) == 0


def test_a_folder_is_checked_file_by_file(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "ship").mkdir()
    (own / "ship" / "a.toml").write_text(FUNCTIONS)
    (own / "b.toml").write_text(TOOLS)
    assert main(["knowledge", "check", str(own)]) == 0
    assert capsys.readouterr().out.count("1 example holds") == 2


def test_an_example_of_another_program_is_named_once(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = own / "x.toml"
    file.write_text(PROGRAM.replace('run = "shipit deploy"', 'run = "shpit deploy"'))
    assert main(["knowledge", "check", str(file)]) == 1
    assert "x.toml:15: `shpit deploy` does not call `shipit`" in (out := capsys.readouterr().out)
    assert "should have the effects" not in out
