"""A mistake in a description names the file, the line, the key and the nearest right word."""

from __future__ import annotations

import pytest

from interlock.errors import ConfigError
from interlock.knowledge.sources import read_program, read_table, take_names

GOOD = """\
names = ["shipit"]
docs = "https://example.com/shipit"
does = "infra.read"

[options]
"-f --force" = { flags = ["force"] }
"--config" = { value = "fs.read" }

[commands.deploy]
also = ["release"]
does = "deploy.release"

[[commands.deploy.examples]]
run = "shipit deploy"
effects = [{ does = "deploy.release" }]
"""


def test_a_description_loads() -> None:
    program = read_program(GOOD, "shipit.toml")
    assert program.names == ("shipit",)
    assert program.option_table["--force"].flags == ("force",)
    assert program.subcommands["release"] is program.subcommands["deploy"]


WRONG = [
    ('does = "infra.read"', 'doess = "infra.read"', "shipit.toml:3: unknown key `doess`; did you mean `does`?"),
    (
        'does = "infra.read"',
        'does = "infra.raed"',
        "shipit.toml:3: unknown kind of effect `infra.raed` in `does`; did you mean",
    ),
    ('flags = ["force"]', 'flags = ["foce"]', "shipit.toml:6: unknown flag `foce` in `flags`; did you mean `force`?"),
    ('flags = ["force"]', 'flag = ["force"]', "shipit.toml:6: unknown key `flag`; did you mean `flags`?"),
    (
        'flags = ["force"]',
        'flags = "force"',
        'shipit.toml:6: `flags` must be a list, found `"force"`; write `["force"]`',
    ),
    ('flags = ["force"]', "flags = [1]", "shipit.toml:6: an item of `flags` must be a string, found `1`"),
    (
        'value = "fs.read"',
        'value = "file.read"',
        "shipit.toml:7: unknown role `file.read` in `value`; did you mean `fs.read`?",
    ),
    (
        'value = "fs.read"',
        'value = "code:shel"',
        "shipit.toml:7: unknown role `code:shel` in `value`; did you mean `code:shell`?",
    ),
    ('"--config"', '"config"', "shipit.toml:7: `config` is not an option; options begin with `-`"),
    ('also = ["release"]', 'also = ["deploy"]', "shipit.toml:9: the command `deploy` is described twice"),
    (
        'does = "deploy.release" }',
        'kind = "deploy.release" }',
        "shipit.toml:15: unknown key `kind`; did you mean `does`?",
    ),
    ('names = ["shipit"]', "", "shipit.toml:1: `names` is missing"),
    ('names = ["shipit"]', 'names = ["ship it"]', "shipit.toml:1: `names` must list the program's names"),
    ("https://", "http://", "shipit.toml:2: `docs` must be an https URL"),
    ('run = "shipit deploy"', 'run = ""', "shipit.toml:14: `run` must be a command line"),
    ('does = "infra.read"', 'stdin = "bash"', "shipit.toml:3: unknown language `bash`"),
    ('does = "infra.read"', 'syntax = "dos"', "shipit.toml:3: unknown syntax `dos`"),
    ('does = "infra.read"', "does =", "shipit.toml:3: this is not TOML"),
    ("[commands.deploy]", "[comands.deploy]", "shipit.toml:9: unknown key `comands`; did you mean `commands`?"),
    ('value = "fs.read"', 'second = "fs.read"', "shipit.toml:7: `second` is for an option with a `value`"),
    (
        'does = "infra.read"',
        'calls = [{ commands = ["x"], flags = ["secret"] }]',
        "`calls` and `values` are for clients",
    ),
    (
        'does = "infra.read"',
        'phrases = [{ matches = "(", does = "fs.read" }]',
        "shipit.toml:3: `(` is not a regular expression",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_a_mistake_is_named(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ConfigError) as caught:
        read_program(GOOD.replace(old, new, 1), "shipit.toml")
    assert message in str(caught.value)


def test_a_word_that_is_like_none_is_not_answered_with_all_of_them() -> None:
    with pytest.raises(ConfigError) as caught:
        read_program(GOOD.replace('["force"]', '["zzzzzzzz"]'), "shipit.toml")
    assert (
        str(caught.value) == "shipit.toml:6: unknown flag `zzzzzzzz` in `flags`; `interlock knowledge words` lists them"
    )


def test_a_table_is_checked_too() -> None:
    with pytest.raises(ConfigError, match=r"tables/kubernetes.toml:2: unknown flag `namespaze`; did you mean"):
        read_table('[[objects]]\nflags = ["namespaze"]\nwords = ["ns"]\n', "tables/kubernetes.toml")
    with pytest.raises(ConfigError, match="unknown table `kubernets`; did you mean `kubernetes`"):
        read_table("", "tables/kubernets.toml")


def test_a_name_is_described_once() -> None:
    program = read_program(GOOD, "a.toml")
    with pytest.raises(ConfigError, match=r"b.toml: `shipit` is described in `a.toml` already"):
        take_names({0: ("a.toml", program), 1: ("b.toml", program)})
