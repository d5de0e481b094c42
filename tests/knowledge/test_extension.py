"""Users describe their own programs and tools. A file that an agent could have written only adds to what is known."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock import Action, ConfigError, RunState, Verdict
from interlock.cli import main
from interlock.config.live import LiveEngine
from interlock.config.load import load, read
from interlock.config.trust import trust

SHIPIT = """\
names = ["shipit"]
docs = "https://wiki.example.com/shipit"
does = "infra.read"

[options]
"--config" = { value = "fs.read" }

[commands.deploy]
does = "deploy.release"

[commands.deploy.options]
"--dry-run" = { makes = "infra.read" }

[commands.wipe]
does = "infra.destroy"
flags = ["database"]

[[commands.deploy.examples]]
run = "shipit deploy web"
effects = [{ does = "deploy.release" }]

[[commands.deploy.examples]]
run = "shipit deploy --dry-run web"
effects = [{ does = "infra.read" }]

[[commands.wipe.examples]]
run = "shipit wipe orders"
effects = [{ does = "infra.destroy", flags = ["database"] }]
"""
HARMLESS_RM = 'names = ["rm"]\ndoes = "out.print"\n'
TOOLS = """\
service = "Payments"

[tools.create_refund]
also = ["refund_payment"]
does = "payment.send"
arguments = { amount = "data", receipt = "fs.read", hook = "code:shell" }

[[tools.create_refund.examples]]
call = { amount = 1200, receipt = "receipt.pdf" }
effects = [{ does = "payment.send" }, { does = "fs.read", on = "receipt.pdf" }]
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own knowledge folder, empty."""
    folder = tmp_path / "own" / "knowledge"
    folder.mkdir(parents=True)
    monkeypatch.setenv("INTERLOCK_HOME", str(folder.parent))
    return folder


@pytest.fixture
def project(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def kinds(action: Action) -> list[str]:
    return [effect.kind for effect in load().engine().decide(action).assessment.effects]


def test_a_described_program_is_read_by_its_description(own: Path, project: Path) -> None:
    assert kinds(Action.shell("shipit status")) == ["process.run"]
    (own / "shipit.toml").write_text(SHIPIT)
    assert kinds(Action.shell("shipit status")) == ["infra.read"]
    assert kinds(Action.shell("shipit deploy web")) == ["deploy.release"]
    assert "infra.destroy" in kinds(Action.shell("sudo shipit wipe orders"))
    assert "infra.destroy" in kinds(Action.python("import subprocess; subprocess.run(['shipit', 'wipe', 'orders'])"))
    assert kinds(Action.shell("shipit --config ~/.ssh/id_rsa status"))[0] == "secret.read"


def test_the_user_may_describe_a_shipped_program_anew(own: Path, project: Path) -> None:
    (own / "trash.toml").write_text('names = ["trash"]\ndoes = "out.print"\n')
    assert kinds(Action.shell("trash a.txt")) == ["out.print"]


def test_the_user_may_describe_a_service_client_anew(own: Path, project: Path) -> None:
    assert kinds(Action.shell("heroku apps:destroy shop")) == ["infra.destroy"]
    calls = '[[calls]]\ncommands = ["apps destroy"]\nmakes = "deploy.release"\n'
    (own / "heroku.toml").write_text(f'names = ["heroku"]\n[client]\n{calls}')
    assert kinds(Action.shell("heroku apps:destroy shop")) == ["deploy.release"]
    assert kinds(Action.shell("heroku addons:destroy shop")) == ["infra.destroy"]
    (own / "heroku.toml").write_text('names = ["heroku"]\ndoes = "out.print"\n')
    assert kinds(Action.shell("heroku apps:destroy shop")) == ["out.print"]


@pytest.mark.parametrize(
    "name", ["sudo", "bash", "eval", "find", "xargs", "python3", "git", "gh", "kubectl", "robocopy"]
)
def test_a_program_that_code_reads_cannot_be_replaced(own: Path, project: Path, name: str) -> None:
    (own / "x.toml").write_text(f'names = ["{name}"]\ndoes = "out.print"\n')
    with pytest.raises(ConfigError, match=rf"x.toml:1: `{name}` is read by code, which a description cannot replace"):
        load()


def name_in_project(project: Path, text: str, file: str = "known.toml") -> None:
    (project / file).write_text(text)
    (project / "interlock.toml").write_text(f'knowledge = ["{file}"]\n')


def test_a_file_in_the_workspace_cannot_make_a_program_harmless(project: Path) -> None:
    name_in_project(project, HARMLESS_RM)
    assert load().engine().decide(Action.shell("rm -rf /")).verdict is Verdict.BLOCK
    name_in_project(project, 'names = ["shipit"]\ndoes = "out.print"\n')
    assert "process.run" in kinds(Action.shell("shipit status"))


def test_a_file_in_the_workspace_cannot_change_the_folder_of_later_commands(project: Path) -> None:
    name_in_project(project, 'names = ["enter"]\noperands = { first = ["directory"] }\n')
    where = {"cwd": "/home/u", "workspace": "/home/u/project", "home": "/home/u"}
    assert load().engine().decide(Action.shell("enter /tmp/x; rm -rf *", **where)).verdict is Verdict.BLOCK


def test_a_file_in_the_workspace_can_tighten(project: Path) -> None:
    name_in_project(project, 'names = ["ls"]\ndoes = "infra.destroy"\n')
    assert kinds(Action.shell("ls")) == ["fs.read", "infra.destroy"]
    assert kinds(Action.shell("./ls"))[-1] == "infra.destroy"


WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}


@pytest.mark.parametrize(
    ("text", "command"),
    [
        pytest.param('names = ["git"]\ndoes = "fs.write"\n', "git clean -x", id="an effect that takes points away"),
        pytest.param(
            'names = ["touchy"]\noperands = { rest = "fs.write" }\n',
            "touchy /tmp/evil.sh; bash /tmp/evil.sh",
            id="a file that the run claims to have written",
        ),
        pytest.param(
            'names = ["mysql"]\noperands = { rest = "fs.write" }\n',
            "mysql --plugin-dir /tmp/plugins app",
            id="a folder that the run claims to have written",
        ),
    ],
)
def test_an_effect_that_a_file_in_the_workspace_adds_excuses_nothing(project: Path, text: str, command: str) -> None:
    action = Action.shell(command, **WHERE)
    plain = load().engine().decide(action)
    assert plain.verdict is Verdict.REQUIRE_APPROVAL
    name_in_project(project, text)
    decision = load().engine().decide(action)
    assert decision.verdict >= plain.verdict
    assert decision.assessment.score >= plain.assessment.score


def test_a_file_that_a_description_claims_to_write_is_not_remembered(project: Path) -> None:
    name_in_project(project, 'names = ["touchy"]\noperands = { rest = "fs.write" }\n')
    engine, state = load().engine(), RunState()
    first = Action.shell("touchy /tmp/evil.sh", **WHERE)
    state = state.after(first, engine.decide(first, state))
    assert engine.decide(Action.shell("bash /tmp/evil.sh", **WHERE), state).verdict is Verdict.REQUIRE_APPROVAL


def test_a_policy_sees_an_effect_that_a_file_in_the_workspace_adds(project: Path) -> None:
    name_in_project(project, 'names = ["ls"]\ndoes = "deploy.release"\n')
    with (project / "interlock.toml").open("a") as file:
        file.write(
            '[[policies]]\npolicy_id = "no-deploys"\nwhen = "\'deploy.release\' in effects.kind"\naction = "block"\n'
        )
    assert load().engine().decide(Action.shell("ls", **WHERE)).verdict is Verdict.BLOCK


NAMED = ["echo x > known.toml", "cp /tmp/a/known.toml .", "cp /tmp/a/interlock.toml .", "rm known.toml"]


@pytest.mark.parametrize("command", NAMED)
def test_an_agent_cannot_change_a_file_that_a_configuration_names(project: Path, command: str) -> None:
    where = {"cwd": str(project), "workspace": str(project)}
    name_in_project(project, 'names = ["shipit"]\ndoes = "infra.destroy"\n')
    engine = load().engine()
    assert engine.decide(Action.shell(command, **where)).verdict is Verdict.BLOCK
    for harmless in ("cat known.toml", "cp /tmp/a/other.toml .", "cp interlock.toml docs/", "echo x > docs/known.toml"):
        assert engine.decide(Action.shell(harmless, **where)).allowed


def test_an_agent_cannot_change_a_file_that_the_users_own_configuration_names(
    tmp_path: Path, own: Path, project: Path
) -> None:
    outside = tmp_path / "team" / "shipit.toml"
    outside.parent.mkdir()
    outside.write_text('names = ["shipit"]\ndoes = "infra.read"\n')
    (own.parent / "interlock.toml").write_text(f'knowledge = ["{outside}"]\n')
    change = Action(tool_name="Write", input_payload={"file_path": str(outside), "content": HARMLESS_RM})
    assert load().engine().decide(change).verdict is Verdict.BLOCK


UNLESS_DESTROYED = """\
[[policies]]
policy_id = "three-people"
action = "require_approval"
conditions = [{ field = "effects.kind", operator = "not_in", value = ["infra.destroy"] }]
approval = { approvers = 3 }

[[policies]]
policy_id = "few"
action = "block"
conditions = [{ field = "effects.kind", operator = "not_in", value = ["infra.destroy"] }]
limit = { most = 5, per = "hour" }
"""


def test_a_file_in_the_workspace_cannot_lower_what_an_approval_needs(own: Path, project: Path) -> None:
    (own.parent / "interlock.toml").write_text(UNLESS_DESTROYED)
    action = Action.shell("shipit status", **WHERE)
    assert load().engine().decide(action).needs.approvers == 3  # type: ignore[union-attr]
    name_in_project(project, 'names = ["shipit"]\ndoes = "infra.destroy"\n')
    decision = load().engine().decide(action)
    assert decision.assessment.effects[-1].kind == "infra.destroy"
    assert decision.needs is not None
    assert decision.needs.approvers == 3
    assert [budget.policy.policy_id for budget in decision.budgets] == ["few"]


def test_trusting_the_configuration_does_not_make_a_file_in_the_workspace_the_users_own(project: Path) -> None:
    name_in_project(project, HARMLESS_RM)
    file = project / "interlock.toml"
    trust(file, read(file))
    assert load().engine().decide(Action.shell("rm -rf /")).verdict is Verdict.BLOCK


def test_a_file_outside_counts_as_own_only_if_the_users_own_configuration_names_it(
    tmp_path: Path, own: Path, project: Path
) -> None:
    outside = tmp_path / "elsewhere" / "team.toml"
    outside.parent.mkdir()
    outside.write_text('names = ["shipit"]\ndoes = "infra.read"\n')
    (project / "interlock.toml").write_text(f'knowledge = ["{outside}"]\n')
    assert kinds(Action.shell("shipit status")) == ["process.run", "infra.read"]
    (project / "interlock.toml").unlink()
    (own.parent / "interlock.toml").write_text(f'knowledge = ["{outside}"]\n')
    assert kinds(Action.shell("shipit status")) == ["infra.read"]


def test_a_described_tool_is_read_by_its_description(own: Path, project: Path) -> None:
    (own / "payments.toml").write_text(TOOLS)
    for name in ("create_refund", "mcp__payments__Create-Refund", "refund_payment"):
        assert kinds(Action(tool_name=name, input_payload={"amount": 12})) == ["payment.send"]
    given = {"amount": 12, "hook": "rm -rf /", "path": "/etc/shadow"}
    found = kinds(Action(tool_name="create_refund", input_payload=given))
    assert {"payment.send", "fs.delete", "secret.read"} <= set(found)


def test_a_tool_described_in_the_workspace_keeps_its_effects(project: Path) -> None:
    name_in_project(project, '[tools.delete_account]\ndoes = "tool.read"\n')
    found = kinds(Action(tool_name="delete_account", input_payload={"id": 7}))
    assert found == ["tool.destroy", "account.change", "tool.read"]


def test_an_edited_description_counts_at_the_next_decision(own: Path, project: Path) -> None:
    file = own / "shipit.toml"
    file.write_text(SHIPIT)
    engine = LiveEngine()
    action = Action.shell("shipit status")
    assert engine.decide(action).assessment.effects[0].kind == "infra.read"
    file.write_text(SHIPIT.replace('does = "infra.read"', 'does = "infra.destroy"', 1))
    os.utime(file, (2_000_000_000, 2_000_000_000))
    assert engine.decide(action).assessment.effects[0].kind == "infra.destroy"
    (own / "other.toml").write_text('names = ["other"]\ndoes = "infra.read"\n')
    os.utime(own, (2_000_000_001, 2_000_000_001))
    assert engine.decide(Action.shell("other x")).assessment.effects[0].kind == "infra.read"


def test_a_broken_description_leaves_the_last_good_one_in_force(own: Path, project: Path) -> None:
    file = own / "shipit.toml"
    file.write_text(SHIPIT)
    engine = LiveEngine()
    engine.decide(Action.shell("ls"))
    file.write_text(SHIPIT.replace("infra.read", "infra.raed"))
    os.utime(file, (2_000_000_000, 2_000_000_000))
    assert engine.decide(Action.shell("shipit status")).assessment.effects[0].kind == "infra.read"
    assert "shipit.toml:3: unknown kind of effect `infra.raed`" in str(engine.error)


def test_a_missing_file_is_named(project: Path) -> None:
    (project / "interlock.toml").write_text('mode = "full"\nknowledge = ["nowhere.toml"]\n')
    with pytest.raises(ConfigError, match=r"interlock.toml:2: there is no file `.*nowhere.toml`"):
        load()


# the command line


def test_check_runs_the_examples(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "shipit.toml"
    file.write_text(SHIPIT)
    assert main(["knowledge", "check", str(file)]) == 0
    assert "3 examples hold" in capsys.readouterr().out
    file.write_text(SHIPIT.replace('run = "shipit wipe orders"', 'run = "shipit status"'))
    assert main(["knowledge", "check", str(file)]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert 'shipit.toml:26: `shipit status` should have the effects [{ does = "infra.destroy"' in out
    assert 'found [{ does = "infra.read", on = "shipit status" }]' in out


def test_check_runs_the_examples_of_tools(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "payments.toml"
    file.write_text(TOOLS)
    assert main(["knowledge", "check", str(file)]) == 0
    file.write_text(TOOLS.replace('on = "receipt.pdf"', 'on = "invoice.pdf"'))
    assert main(["knowledge", "check", str(file)]) == 1
    assert "payments.toml:8:" in " ".join(capsys.readouterr().out.split())


def test_check_names_what_does_not_load(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "shipit.toml"
    file.write_text(SHIPIT.replace("[options]", "[optoins]"))
    assert main(["knowledge", "check", str(file), str(project / "none.toml")]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "shipit.toml:5: unknown key `optoins`; did you mean `options`?" in out
    assert "none.toml: cannot be read" in out


REPLACED = 'names = ["rm"]\ndoes = "out.print"\n\n[[examples]]\nrun = "rm a"\neffects = [{ does = "out.print" }]\n'


def test_check_says_what_a_description_replaces(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "rm.toml").write_text(REPLACED)
    assert main(["knowledge", "check"]) == 0  # without a name, all of one's own
    out = " ".join(capsys.readouterr().out.split())
    assert "replaces what ships with Interlock for `rm`" in out
    assert 'such as `rm draft.md`: [{ does = "out.print", on = "draft.md" }]' in out


def test_check_without_files_needs_some(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "check"]) != 0
    assert "interlock knowledge check shipit.toml" in " ".join(capsys.readouterr().err.split())


def test_a_description_replaces_a_program_but_lifts_no_floor(own: Path, project: Path) -> None:
    (own / "rm.toml").write_text(REPLACED)
    engine = load().engine()
    assert engine.decide(Action.shell("rm notes.md", cwd=str(project), workspace=str(project))).verdict.value == "allow"
    for command in ("rm -rf /", "sh -c 'rm -rf /*'"):
        assert engine.decide(Action.shell(command, cwd=str(project), workspace=str(project))).verdict.value == "block"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["git", "pussh"], "`git` has no described command `pussh`; did you mean `push`?"),
        (["gti"], "`gti` is not described; did you mean `git`?"),
        (["nonexistentprog"], "`nonexistentprog` is not described; `interlock knowledge list` lists what is"),
    ],
)
def test_show_names_what_is_not_described(
    own: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["knowledge", "show", *words])
    printed = capsys.readouterr()
    assert said in " ".join((printed.out + printed.err).split())


def test_check_asks_for_examples(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "x.toml"
    file.write_text('names = ["x"]\ndoes = "fs.read"\n')
    assert main(["knowledge", "check", str(file)]) == 1
    assert "has no examples" in capsys.readouterr().out


def test_check_asks_for_a_harmless_example_and_examples_of_the_program(
    own: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "wipe.toml"
    described = 'names = ["wipe"]\ndoes = "infra.destroy"\n'
    wipe = described + '\n[[examples]]\nrun = "wipe db"\neffects = [{ does = "infra.destroy" }]\n'
    file.write_text(wipe)
    assert main(["knowledge", "check", str(file)]) == 1
    assert "no example is harmless; add one of a call that passes, such as `wipe --help`" in shown(capsys)
    helps = '\n[[examples]]\nrun = "wipe --help"\neffects = [{ does = "system.read" }]\n'
    file.write_text(wipe + helps)
    assert main(["knowledge", "check", str(file)]) == 0
    file.write_text(wipe + helps + '\n[[examples]]\nrun = "whoami"\neffects = [{ does = "system.read" }]\n')
    assert main(["knowledge", "check", str(file)]) == 1
    assert "wipe.toml:13: `whoami` does not call `wipe`" in shown(capsys)


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_check_names_all_mistakes_of_a_file(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "shipit.toml"
    wrong = SHIPIT.replace('["shipit"]', '["shipit", "shipit"]').replace('"infra.read"', '"infra.raed"', 1)
    wrong = wrong.replace("[commands.wipe]", "[comands.wipe]").replace('["database"]', "[3]", 1)
    wrong = wrong.replace('"--config" =', '"-c" = {}\n"--config -c" =')
    file.write_text(wrong)
    assert main(["knowledge", "check", str(file)]) == 1
    lines = capsys.readouterr().out.replace("\n", " ").split("✗ ")
    assert [line.partition("shipit.toml:")[2].strip() for line in lines[1:]] == [
        "1: the name `shipit` is listed twice",
        "3: unknown kind of effect `infra.raed` in `does`; did you mean `infra.read`?",
        "7: the option `-c` is described twice",
        "15: unknown key `comands`; did you mean `commands`?",
    ]


def test_check_names_both_files_that_describe_a_program(
    own: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.toml", "b.toml"):
        (project / name).write_text(SHIPIT)
    assert main(["knowledge", "check", "a.toml", "b.toml"]) == 1
    found = shown(capsys)
    assert (
        f"{project / 'b.toml'}:1: `shipit` is described in `{project / 'a.toml'}` already; keep one of the two" in found
    )
    (own / "mine.toml").write_text(SHIPIT)
    assert main(["knowledge", "check", "a.toml"]) == 1
    assert f"`shipit` is described in `{own / 'mine.toml'}` already" in shown(capsys)


def test_two_own_files_cannot_describe_one_program(own: Path, project: Path) -> None:
    (own / "a.toml").write_text(SHIPIT)
    (own / "b.toml").write_text('names = ["shipit"]\ndoes = "system.read"\n')
    with pytest.raises(ConfigError, match=r"b.toml:1: `shipit` is described in `.*a.toml` already; keep"):
        load()


ADDS_TO_GIT = """\
names = ["git"]
does = "process.spawn"

[[examples]]
run = "git status"
effects = [{ does = "vcs.read" }, { does = "process.spawn" }]
"""


def test_a_file_in_the_workspace_is_checked_and_shown_as_an_addition(
    own: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name_in_project(project, ADDS_TO_GIT, "git.toml")
    assert main(["knowledge", "check", "git.toml"]) == 0
    assert "1 example holds" in shown(capsys)
    assert main(["knowledge", "show", "git", "push"]) == 0
    found = shown(capsys)
    assert "--force-with-lease" in found
    assert "added by a file in the workspace" in found
    assert "process.spawn" in found
    (own / "git.toml").write_text(ADDS_TO_GIT)
    assert main(["knowledge", "check", str(own / "git.toml")]) == 1
    assert "put the file into the workspace" in shown(capsys)


def test_show_and_list(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "shipit.toml").write_text(SHIPIT)
    assert main(["knowledge", "show", "git", "push"]) == 0
    assert "--force-with-lease" in capsys.readouterr().out
    assert main(["knowledge", "show", "shipit", "deploy"]) == 0
    assert "deploy.release" in capsys.readouterr().out
    assert main(["knowledge", "show", "--source", "shipit"]) == 0
    assert capsys.readouterr().out == SHIPIT
    assert main(["knowledge", "list", "--yours"]) == 0
    out = capsys.readouterr().out
    assert "shipit" in out
    assert "git" not in out
    assert main(["knowledge", "list", "rsync"]) == 0
    assert "rsync" in capsys.readouterr().out
    assert main(["knowledge", "words", "vcs."]) == 0
    assert "vcs.push" in capsys.readouterr().out


def test_an_unknown_program_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str], own: Path) -> None:
    assert main(["knowledge", "show", "terrafrm"]) == 1
    assert "`terrafrm` is not described; did you mean `terraform`?" in capsys.readouterr().err
    assert main(["knowledge", "show", "rm", "all"]) == 1
    assert "`rm` has no command `all`" in capsys.readouterr().err
    assert main(["knowledge", "words", "zzzz"]) == 1


SLOW = 'names = ["shipit"]\n[[phrases]]\nmatches = "(a+)+$"\ndoes = "net.listen"\n'
SLOW_VALUE = 'names = ["shipit"]\n[client]\n[[values]]\noptions = ["-x"]\nmatches = "(a+)+$"\nflags = ["public"]\n'


@pytest.mark.parametrize("text", [SLOW, SLOW_VALUE, SLOW.replace("(a+)+$", r"(?=a)(a+)+\\1$")])
def test_a_pattern_in_the_workspace_cannot_stall_a_decision(project: Path, text: str) -> None:
    name_in_project(project, text)
    assert load().engine().decide(Action.shell(f"shipit create -x {'a' * 1500}!")).verdict  # without a bound: years


def test_a_symlink_into_the_workspace_is_not_the_users_own(own: Path, project: Path) -> None:
    (project / "rm.toml").write_text(HARMLESS_RM)
    (own / "rm.toml").symlink_to(project / "rm.toml")
    assert load().engine().decide(Action.shell("rm -rf /")).verdict is Verdict.BLOCK


@pytest.mark.parametrize("command", ["shipit.exe wipe x", "SHIPIT wipe x", "./shipit wipe x", "tools/shipit wipe x"])
def test_a_described_program_is_known_by_other_spellings_too(own: Path, project: Path, command: str) -> None:
    (own / "shipit.toml").write_text(SHIPIT)
    assert "infra.destroy" in kinds(Action.shell(command))
