"""Configuration: what may be written, what is refused and how, and who may loosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock import Action, ConfigError, Level, Verdict
from interlock.config.live import LiveEngine
from interlock.config.load import load, load_policies, read
from interlock.config.schema import parse
from interlock.config.trust import is_trusted, trust
from interlock.documents import Document
from tests.reading import WHERE


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own folder, empty."""
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.setenv("INTERLOCK_HOME", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder, which is also the working folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


GOOD = """
mode = "assist"
environment = "production"
home = "/home/sam"
rules_off = ["pip_install"]
sensitive_paths = ["payroll/**", "*.token"]
trusted_hosts = ["Files.example.com"]

[places]
"/data" = "system"
"/scratch" = "scratch"

[tools]
my_box = "shell"

[modes.careful]
safe = "allow"
low = "warn"
medium = "require_approval"
high = "require_approval"
critical = "block"

[timeouts]
high = 120

[[policies]]
policy_id = "no-friday"
name = "No deployments"
action = "block"
conditions = [{ field = "toolName", operator = "equals", value = "deploy" }, "environment=production"]
when = 'inputPayload.env == "production"'

[[rules]]
name = "warehouse"
level = "high"
effect = "fs.delete fs.write"
place = ["system"]
resource = "^/data/"
reason = "The warehouse is not to be touched"
match = ["$ rm /data/x", "$ cp a /data/b"]
no_match = ["$ ls /data"]
"""


def test_everything_can_be_configured() -> None:
    config = parse(Document(GOOD, "interlock.toml"))
    engine = config.engine()
    assert engine.mode == "assist"
    found = engine.decide(Action.shell("rm /data/x", **WHERE))
    assert "warehouse" in [finding.rule for finding in found.assessment.findings]
    assert engine.decide(Action(tool_name="deploy", input_payload={"env": "production"})).verdict is Verdict.BLOCK
    assert engine.decide(Action.shell("cat payroll/may.csv", **WHERE)).assessment.level >= Level.HIGH
    assert engine.decide(Action.shell("cat x.token", **WHERE)).assessment.level >= Level.HIGH
    assert engine.decide(Action.shell("cat tokens.py", **WHERE)).assessment.level < Level.HIGH
    assert engine.decide(Action(tool_name="my_box", input_payload={"input": "rm -rf /"})).verdict is Verdict.BLOCK
    lifted = engine.decide(Action.shell("pip install x", **WHERE))
    assert [override.what for override in lifted.overrides] == ["rule `pip_install` is switched off"]
    assert config.engine(mode="careful").decide(Action.shell("ls", **WHERE)).verdict is Verdict.WARN


REFUSED = [
    ("mod = 'full'", 1, "unknown key `mod`; did you mean `mode`?"),
    ("\nmode = 'ful'", 2, "unknown mode `ful`; did you mean `full`?"),
    ("mode = 3", 1, "`mode` must be a string, found `3`"),
    ("mode = ", 1, "this is not TOML"),
    ("\n\nmode = 'full'\nmode = 'off'", 4, "this is not TOML"),
    ("environment = 'prodution'", 1, "did you mean `production`?"),
    ("rules_off = ['rm_recursve']", 1, "unknown rule `rm_recursve`; did you mean `rm_recursive`?"),
    ("rules_off = 'x'", 1, "must be a list of strings"),
    ("rules_off = [1]", 1, "must contain only strings, found `1`"),
    ("default_policies = 'no'", 1, "must be true or false"),
    ("[places]\n'/x' = 'sytem'", 2, "did you mean `system`?"),
    ("[places]\nx = 'system'", 2, "a place is an absolute path, found `x`; write `/x`"),
    ("[tools]\nx = 'shel'", 2, "did you mean `shell`?"),
    ("[modes.full]\nsafe = 'allow'", 1, "mode `full` is built in"),
    ("[modes.mine]\nsafe = 'allow'", 1, "has no verdict for `low`"),
    (
        "[modes.mine]\nsafe = 'alow'\nlow='allow'\nmedium='allow'\nhigh='allow'\ncritical='allow'",
        2,
        "did you mean `allow`?",
    ),
    ("[timeouts]\nhihg = 3", 2, "did you mean `high`?"),
    ("[timeouts]\nhigh = 0", 2, "must be above zero"),
    ("[approvals]\nexpire_hours = 0.5", 2, "`expire_hours` must be a whole number, found `0.5`"),
    ("[server]\nport = 70000", 2, "`port` must be at most 65535, found `70000`"),
    ("policies = 3", 1, "written as `[[policies]]` tables"),
    ("[[policies]]\npolicy_id = 'x'", 1, "a policy needs `action`"),
    ("[[policies]]\naction = 'block'", 1, "a policy needs `policyId`"),
    ("[[policies]]\npolicy_id = 'x'\naction = 'blok'", 3, "did you mean `block`?"),
    (
        "[[policies]]\npolicy_id = 'x'\naction = 'block'\nwhen = 'toolNam == 1'",
        4,
        "unknown name `toolNam`; did you",
    ),
    ("[[policies]]\npolicy_id = 'x'\naction = 'block'\nwhen = '1 + '", 4, "the expression does not compile"),
    ("[[policies]]\npolicy_id = 'x'\naction = 'block'\nwhen = 'toolName'", 4, "write one that gives true or false"),
    ("[[policies]]\npolicy_id = 'x'\naction = 'block'\nconditions = ['toolName deploy']", 4, "is not a condition"),
    ("[[policies]]\npolicy_id = 'x'\naction = 'block'\nconditions = ['risk.scor=3']", 4, "did you mean `risk.score`?"),
    ("[[policies]]\npolicy_id = 'x'\naction = 'block'\nname = 3", 1, "policy `x`"),
    ("[[policies]]\npolicy_id = 'x'\naction = 'block'\nprority = 3", 4, "unknown key `prority` in a policy"),
    ("[[policies]]\npolicy_id = 'x'\naction = 'block'\nrate = '5/h'", 4, "write `limit = { most = 5, per"),
    ("[[policies]]\npolicy_id = 'x'\nverdict = 'block'", 3, "unknown key `verdict` in a policy; write `action`"),
    ("[[policies]]\npolicy_id = 'a'\naction = 'warn'\n\n[[policies]]\npolicy_id = 'b'\naction = 'wrn'", 7, "`warn`"),
    ("[[rules]]\nname = 'x'", 1, "a rule needs `level`"),
    ("[[rules]]\nname='x'\nlevel='hgh'\neffect='fs.read'\nreason='X'\nmatch=['$ ls']", 3, "did you mean `high`?"),
    ("[[rules]]\nname='x'\nlevel='high'\neffect='fs.red'\nreason='X'\nmatch=['$ ls']", 4, "did you mean `fs.read`?"),
    (
        "[[rules]]\nname='x'\nlevel='high'\neffect='vcs.push'\nflags=['forcee']\nreason='X'\nmatch=['$ git push']",
        5,
        "unknown flag `forcee`; did you mean `force`?",
    ),
    (
        "[[rules]]\nname='x'\nlevel='high'\neffect='fs.read'\nwithout=['names', 'secrt']\nreason='X'\nmatch=['$ ls']",
        5,
        "unknown flag `secrt`; did you mean `secret`?",
    ),
    (
        "[[rules]]\nname='x'\nlevel='high'\neffect='db.drop'\nreason='X'\nmatch=['$ ls']",
        6,
        "`$ ls` should match, but does not",
    ),
    (
        "[[rules]]\nname='x'\nlevel='high'\neffect='fs.*'\nreason='X'\nmatch=['$ ls']\nno_match=['$ cat x']",
        6,
        "should not match",
    ),
    ("[[rules]]\nname='x'\nlevel='high'\neffect='fs.read'\nreason='X'\nmatch=['ls']", 6, "is not an example"),
    (
        "[[rules]]\nname='x'\nlevel='high'\neffect='fs.read'\nreason='X'\nmatch=['$ ls']\nresource='('",
        7,
        "does not compile",
    ),
    (
        "[[rules]]\nname='file_read'\nlevel='high'\neffect='fs.read'\nreason='X'\nmatch=['$ ls']",
        2,
        "a rule `file_read` already exists",
    ),
    ("[[rules]]\nname='x'\nlevl='high'", 3, "did you mean `level`?"),
]


@pytest.mark.parametrize(("text", "line", "message"), REFUSED)
def test_a_mistake_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(Document(text, "interlock.toml"))
    assert str(caught.value).startswith(f"interlock.toml:{line}: ")
    assert message in str(caught.value)


LOOSENING = [
    '[organisation]\ndomains = ["evil.example"]',
    'trusted_hosts = ["files.example.com"]',
    'mode = "auto_approve"',
    'mode = "confirm_high_risk"',
    'environment = "development"',
    'workspace = "/"',
    'workspace = ".."',
    'workspace = "."',
    '[tools]\nmystery = "shell"',
    "[timeouts]\ncritical = 99999",
    '[places]\n"/boot" = "system"',
    '[places]\n"/etc" = "root"',
    'home = "/somewhere"',
    'rules_off = ["sudo_command"]',
    "default_policies = false",
    '[places]\n"/etc" = "scratch"',
    '[places]\n"/etc" = "workspace"',
    '[tools]\nBash = "read"',
    '[tools]\nmystery = "read"',
    '[[policies]]\npolicy_id = "x"\naction = "allow"',
    '[[policies]]\npolicy_id = "sensitive-files"\naction = "warn"',
    '[[policies]]\npolicy_id = "production-changes"\naction = "block"\nenabled = false',
    'mode = "mine"\n[modes.mine]\nsafe="allow"\nlow="allow"\nmedium="allow"\nhigh="allow"\ncritical="allow"',
]


@pytest.mark.parametrize("text", LOOSENING)
def test_a_file_in_the_workspace_cannot_loosen(project: Path, text: str) -> None:
    (project / "interlock.toml").write_text(text)
    with pytest.raises(ConfigError, match="an agent could have written this file") as caught:
        load()
    assert caught.value.line is not None
    with pytest.raises(ConfigError, match="an agent could have written this file"):
        load("interlock.toml")


TIGHTENING = [
    'mode = "assist"',
    'mode = "off"',
    'environment = "production"',
    'sensitive_paths = ["payroll/**"]',
    '[places]\n"/data" = "system"',
    '[[policies]]\npolicy_id = "x"\naction = "block"',
]


@pytest.mark.parametrize("text", TIGHTENING)
def test_a_file_in_the_workspace_may_tighten(project: Path, text: str) -> None:
    (project / "interlock.toml").write_text(text)
    assert load().files == (str(project / "interlock.toml"),)


@pytest.mark.parametrize("text", LOOSENING)
def test_the_persons_own_file_may_loosen(project: Path, own: Path, text: str) -> None:
    (own / "interlock.toml").write_text(text)
    assert load().engine()


def test_a_file_in_a_folder_above_is_found_and_not_trusted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "deep" / "er").mkdir(parents=True)
    (project / "interlock.toml").write_text('mode = "assist"')
    monkeypatch.chdir(project / "deep" / "er")
    assert load().mode == "assist"
    (project / "interlock.toml").write_text('mode = "auto_approve"')
    with pytest.raises(ConfigError, match="loosens"):
        load()


def test_a_file_that_the_person_names_elsewhere_may_loosen(project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / "mine.toml"
    other.write_text('mode = "auto_approve"')
    assert load(other).mode == "auto_approve"
    with pytest.raises(ConfigError, match="loosens"):
        load(other, workspace=tmp_path)


def test_trust_is_for_exactly_this_content(project: Path) -> None:
    file = project / "interlock.toml"
    file.write_text('mode = "auto_approve"')
    trust(file, read(file))
    assert is_trusted(file, read(file))
    assert load().mode == "auto_approve"
    file.write_text('mode = "auto_approve" ')
    with pytest.raises(ConfigError, match="loosens"):
        load()
    file.write_text('mode = "auto_approve"')
    trust(file, None)
    with pytest.raises(ConfigError, match="loosens"):
        load()


def test_an_unreadable_register_trusts_nothing(project: Path, own: Path) -> None:
    (project / "interlock.toml").write_text('mode = "assist"')
    (own / "trusted.json").write_text("{")
    with pytest.raises(ConfigError, match="list of trusted files"):
        load()


def test_both_files_count_and_the_project_only_adds(project: Path, own: Path) -> None:
    (own / "interlock.toml").write_text(
        'mode = "assist"\n[[policies]]\npolicy_id = "a"\naction = "allow"\nconditions = ["toolName=x"]'
    )
    (project / "interlock.toml").write_text(
        '[[policies]]\npolicy_id = "b"\naction = "block"\nconditions = ["toolName=y"]'
    )
    config = load()
    assert config.mode == "assist"
    assert [policy.policy_id for policy in config.policies] == ["a", "b"]
    (project / "interlock.toml").write_text('mode = "full"')
    with pytest.raises(ConfigError, match="milder than `assist` at medium"):
        load()


def test_a_live_engine_follows_its_file_and_keeps_the_last_good_one(project: Path) -> None:
    file = project / "interlock.toml"
    file.write_text('mode = "assist"')
    live = LiveEngine(file)
    action = Action.shell("pip install x", **WHERE)
    assert live.decide(action).verdict is Verdict.REQUIRE_APPROVAL
    file.write_text('mode = "off"  # stricter')
    assert live.decide(action).verdict is Verdict.BLOCK
    file.write_text('mode = "of"  # a mistake')
    assert live.decide(action).verdict is Verdict.BLOCK
    assert "did you mean `off`" in str(live.error)
    file.unlink()
    assert live.decide(action).verdict is Verdict.BLOCK
    file.write_text('mode = "assist" # well again')
    assert live.decide(action).verdict is Verdict.REQUIRE_APPROVAL
    assert live.error is None


def test_policy_files_may_be_json(tmp_path: Path) -> None:
    file = tmp_path / "policies.json"
    condition = {"field": "toolName", "operator": "equals", "value": "y"}
    file.write_text(json.dumps({"policies": [{"policyId": "x", "action": "block", "conditions": [condition]}]}))
    assert [policy.policy_id for policy in load_policies(file)] == ["x"]
    file.write_text("{")
    with pytest.raises(ConfigError, match=r"policies\.json:1: this is not JSON"):
        load_policies(file)


def test_two_policies_cannot_share_an_id(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('[[policies]]\npolicy_id="x"\naction="warn"\n[[policies]]\npolicy_id="x"\naction="block"')
    with pytest.raises(ConfigError, match="two policies have the id `x`"):
        load_policies(file)


def test_a_link_counts_where_it_stands(project: Path, tmp_path: Path) -> None:
    (tmp_path / "evil.toml").write_text('mode = "auto_approve"')
    (project / "interlock.toml").symlink_to(tmp_path / "evil.toml")
    with pytest.raises(ConfigError, match="loosens"):
        load()


def test_a_nearer_file_cannot_hide_a_farther_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "interlock.toml").write_text('mode = "off"')
    (project / "sub").mkdir()
    (project / "sub" / "interlock.toml").write_text("")
    monkeypatch.chdir(project / "sub")
    assert load().mode == "off"


def test_the_workspace_of_ones_own_file_counts(project: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "interlock.toml").write_text(f'workspace = "{project}"')
    (project / "interlock.toml").write_text('mode = "auto_approve"')
    monkeypatch.chdir(own)
    with pytest.raises(ConfigError, match="loosens"):
        load(project / "interlock.toml")


LEVELS = ("safe", "low", "medium", "high", "critical")
OVERRIDES = [
    (
        'mode = "night"\n[modes.night]\n' + "\n".join(f'{name} = "block"' for name in LEVELS),
        "[modes.night]\n" + "\n".join(f'{name} = "allow"' for name in LEVELS),
    ),
    ('environment = "production"', 'environment = "critical"'),
    ('[places]\n"/mnt/x" = "root"', '[places]\n"/mnt/x" = "system"'),
    ('[tools]\nbox = "shell"', '[tools]\nBox = "sql"'),
    ('workspace = "sub"', 'workspace = "."'),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs"), OVERRIDES)
def test_what_the_person_said_stays(project: Path, own: Path, mine: str, theirs: str) -> None:
    (own / "interlock.toml").write_text(mine)
    (project / "interlock.toml").write_text(theirs)
    with pytest.raises(ConfigError, match="loosens"):
        load()


def test_a_project_may_choose_a_mode_that_the_person_defined(project: Path, own: Path) -> None:
    row = "\n".join(f'{name} = "block"' for name in ("safe", "low", "medium", "high", "critical"))
    (own / "interlock.toml").write_text(f"[modes.night]\n{row}")
    (project / "interlock.toml").write_text('mode = "night"')
    assert load().engine().decide(Action.shell("ls")).verdict is Verdict.BLOCK


STRANGE = [
    "x = " + "[" * 5_000,
    "x = " + "9" * 5_000,
    "[[rules]]\nname='x'\nlevel='high'\neffect='fs.read'\nreason='X'\nmatch=['tool delete_file [1]']",
]


@pytest.mark.parametrize("text", STRANGE)
def test_a_live_engine_survives_any_file(project: Path, text: str) -> None:
    file = project / "interlock.toml"
    file.write_text('mode = "off"')
    live = LiveEngine(file)
    file.write_text(text)
    assert live.decide(Action.shell("ls")).verdict is Verdict.BLOCK
    assert live.error is not None
    assert live.decide(Action.shell("ls")).verdict is Verdict.BLOCK
    assert live.error is not None
    with pytest.raises(ConfigError):
        load(file)


def test_a_live_engine_sees_files_come_and_keeps_those_that_go(project: Path, own: Path) -> None:
    live = LiveEngine(start=project)
    assert live.decide(Action.shell("ls")).verdict is Verdict.ALLOW
    (project / "interlock.toml").write_text('mode = "off"')
    assert live.decide(Action.shell("ls")).verdict is Verdict.BLOCK
    (project / "interlock.toml").unlink()
    assert live.decide(Action.shell("ls")).verdict is Verdict.BLOCK
    assert "is gone" in str(live.error)


def test_a_live_engine_notices_that_trust_is_taken_back(project: Path) -> None:
    file = project / "interlock.toml"
    file.write_text('mode = "auto_approve"')
    trust(file, read(file))
    live = LiveEngine(file)
    trust(file, None)
    live.refresh()
    assert "loosens" in str(live.error)


def test_paths_below_home_are_found(own: Path, project: Path) -> None:
    (own / "interlock.toml").write_text('home = "/home/u"\nsensitive_paths = ["~/vault/**"]')
    engine = load().engine()
    for command in ("cat ~/vault/x", "cat /home/u/vault/x", "tar cf x.tar ~/vault"):
        assert engine.decide(Action.shell(command)).assessment.level >= Level.HIGH, command


@pytest.mark.parametrize("mode", ["tiers", "custom"])
def test_a_mode_that_looks_at_more_than_levels_does_not_replace_another(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("INTERLOCK_HOME", str(own))
    (own / "interlock.toml").write_text('mode = "auto_approve"\n')
    project = tmp_path / "project"
    project.mkdir()
    (project / "interlock.toml").write_text(f'mode = "{mode}"\n')
    assert load(start=project).mode == mode
    row = "".join(f'{level} = "allow"\n' for level in ("safe", "low", "medium", "high"))
    (own / "interlock.toml").write_text(f'mode = "asking"\n[modes.asking]\n{row}critical = "warn"\n')
    with pytest.raises(ConfigError, match="in part milder than `asking`"):
        load(start=project)


def test_a_project_need_not_repeat_the_strictness_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("INTERLOCK_HOME", str(own))
    (own / "interlock.toml").write_text('memory.strictness = "strict"\n')
    project = tmp_path / "project"
    project.mkdir()
    (project / "interlock.toml").write_text('sensitive_paths = ["x"]\n')
    assert load(start=project).memory.strictness == "strict"
    (project / "interlock.toml").write_text("memory.requests = false\n")
    with pytest.raises(ConfigError, match="memory strictness"):
        load(start=project)


def test_every_error_is_reported_and_none_that_only_follows_from_another(project: Path, own: Path) -> None:
    (own / "interlock.toml").write_text(
        'mod = "assist"\n'
        'mode = "careful"\n'
        "[server]\n"
        'prt = 8700\nrate = "fast"\n'
        "[[policies]]\n"
        'policy_id = "a"\nacton = "block"\n'
        "[[policies]]\n"
        'policy_id = "b"\naction = "blok"\nwhen = "true"\n'
        "[[policies]]\n"
        'policy_id = "c"\naction = "block"\nwhen = "toolName ="\n'
        "[modes.careful]\n"
        'low = "allow"\n'
        "[central]\n"
        'url = 5\nkey_file = "/k"\n'
    )
    (project / "interlock.toml").write_text('automation = true\nmode = "off"\n')
    with pytest.raises(ConfigError) as caught:
        load()
    found = [(Path(str(part.file)).parent.name, part.line, part.message) for part in caught.value.parts]
    words = ["`mode`?", "`port`?", "`rate`", "`action`?", "`block`?", "compile", "`safe`", "`url`", "`automation`"]
    assert [line for _, line, _ in found] == [1, 4, 5, 8, 11, 16, 17, 20, 1]
    assert [word for word, (*_, message) in zip(words, found, strict=True) if word not in message] == []
    assert [folder for folder, *_ in found] == ["own"] * 8 + ["project"]
    assert str(caught.value).startswith(f"{own / 'interlock.toml'}:1: unknown key `mod`")
