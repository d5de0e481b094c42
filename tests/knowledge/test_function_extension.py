"""Users describe functions of their own libraries. A file that an agent could have written only adds effects."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock import Action, ConfigError, Verdict
from interlock.cli import main
from interlock.config.load import load

ACME = """\
language = "python"

[[functions]]
names = ["acme.Client", "acme.connect"]
arguments = { first = "net.connect" }
result = { is = "acme.Client" }

[[functions.examples]]
code = "import acme; acme.connect('db.internal').wipe('orders')"
effects = [{ does = "net.connect", flags = ["local"] }, { does = "infra.destroy", flags = ["database"] }]

[[functions]]
names = ["acme.Client.wipe"]
effects = ["infra.destroy"]
flags = ["database"]

[[functions.examples]]
code = "import acme; acme.Client('db.internal').wipe('orders')"
effects = [{ does = "net.connect", flags = ["local"] }, { does = "infra.destroy", flags = ["database"] }]
"""


def describe(names: str, meaning: str = "", language: str = "python") -> str:
    return f'language = "{language}"\n\n[[functions]]\nnames = ["{names}"]\n{meaning}\n'


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


def name_in_project(project: Path, text: str) -> None:
    (project / "known.toml").write_text(text)
    (project / "interlock.toml").write_text('knowledge = ["known.toml"]\n')


def code(text: str, language: str = "python") -> Action:
    if language == "python":
        return Action.python(text)
    return Action(tool_name="execute_code", input_payload={"language": language, "code": text})


def kinds(text: str, language: str = "python") -> list[str]:
    return [effect.kind for effect in load().engine().decide(code(text, language)).assessment.effects]


def test_a_described_function_is_read_by_its_description(own: Path, project: Path) -> None:
    call = "import acme\nclient = acme.connect('db.internal')\nclient.wipe('orders')"
    assert kinds(call) == ["infra.destroy"]  # told by its name
    (own / "acme.toml").write_text(ACME)
    assert kinds(call) == ["net.connect", "infra.destroy"]
    assert kinds("from acme import *\nconnect('db.internal').wipe('orders')") == ["net.connect", "infra.destroy"]
    assert kinds("import acme\nlist(map(acme.connect, ['db.internal']))") == ["net.connect"]


CALLS = [
    ("javascript", "acme.wipe", "require('acme').wipe('x')"),
    ("javascript", ".wipe", "client.wipe('x')"),
    ("ruby", "Acme.wipe", "Acme.wipe('x')"),
    ("php", "acme_wipe", "ACME_WIPE('x');"),
    ("perl", "Acme.wipe", "Acme::wipe('x');"),
    ("lua", "acme.wipe", "acme.wipe('x')"),
    ("powershell", "Acme.Client.Wipe", "[Acme.Client]::Wipe('x')"),
    ("r", "wipe", 'wipe("x")'),
]


@pytest.mark.parametrize(("language", "name", "call"), CALLS)
def test_functions_of_every_language_can_be_described(
    own: Path, project: Path, language: str, name: str, call: str
) -> None:
    before = kinds(call, language)
    (own / "acme.toml").write_text(describe(name, 'effects = ["infra.destroy"]', language))
    assert kinds(call, language) == [*before, "infra.destroy"]


@pytest.mark.parametrize(("language", "name", "call"), CALLS)
def test_a_file_in_the_workspace_adds_effects(project: Path, language: str, name: str, call: str) -> None:
    before = kinds(call, language)
    name_in_project(project, describe(name, 'effects = ["infra.destroy"]', language))
    assert sorted(kinds(call, language)) == sorted([*before, "infra.destroy"])


def test_the_user_may_describe_a_shipped_function_anew(own: Path, project: Path) -> None:
    (own / "x.toml").write_text(describe("send2trash.send2trash"))
    assert kinds("import send2trash; send2trash.send2trash('x')") == []


HARMLESS = [
    ("python", "shutil.rmtree", "import shutil; shutil.rmtree('/')"),
    ("python", "os.system", "import os; os.system('rm -rf /')"),
    ("python", "subprocess.run", "import subprocess; subprocess.run(['rm', '-rf', '/'])"),
    ("javascript", "fs.rmSync", "require('fs').rmSync('/', { recursive: true })"),
    ("javascript", "child_process.spawn", "require('child_process').spawn('rm', ['-rf', '/'])"),
    ("powershell", "IO.Directory.Delete", "[IO.Directory]::Delete('/', $true)"),
]


@pytest.mark.parametrize(("language", "name", "call"), HARMLESS)
def test_a_file_in_the_workspace_cannot_make_a_function_harmless(
    project: Path, language: str, name: str, call: str
) -> None:
    name_in_project(project, describe(name, language=language))
    assert load().engine().decide(code(call, language)).verdict is Verdict.BLOCK


def test_a_reader_in_the_workspace_is_read_in_addition(project: Path) -> None:
    name_in_project(project, describe("acme.start", 'reader = "command"'))
    assert kinds("import acme; acme.start(['git', 'push'])") == ["process.spawn", "vcs.push"]


PATCHES = [
    ("python", describe("acme.exec"), "from acme import *\nexec(\"import shutil; shutil.rmtree('/')\")"),
    (
        "python",
        describe("acme.run", 'arguments = { first = "code" }'),
        "import acme, os\nacme.run('os.system = print')\nos.system('rm -rf /')",
    ),
    (
        "powershell",
        describe("acme.run", 'arguments = { first = "code" }', "powershell"),
        "[Acme]::Run('function Remove-Item {}'); Remove-Item -Recurse -Force /",
    ),
    (
        "powershell",
        '[[cmdlets]]\nnames = ["Invoke-Acme"]\npositional = ["Text"]\nparameters = { Text = "code" }\n',
        "Invoke-Acme 'function Remove-Item {}'; Remove-Item -Recurse -Force /",
    ),
    (
        "javascript",
        describe("acme", 'arguments = { first = "code" }', "javascript"),
        "acme('require = x => x'); require('fs').rmSync('/', { recursive: true })",
    ),
]


@pytest.mark.parametrize(("language", "text", "call"), PATCHES)
def test_a_file_in_the_workspace_changes_nothing_around_what_it_names(
    project: Path, language: str, text: str, call: str
) -> None:
    name_in_project(project, text)
    assert load().engine().decide(code(call, language)).verdict is Verdict.BLOCK


def test_code_in_another_language_is_read(own: Path, project: Path) -> None:
    (own / "x.toml").write_text(describe("acme.js", 'arguments = { first = "code:javascript" }'))
    assert kinds("import acme; acme.js(\"require('fs').unlinkSync('x')\")") == ["fs.delete"]
    assert kinds("import acme; acme.js(text)") == ["code.opaque"]
    (own / "x.toml").write_text(describe("Acme.Js", 'arguments = { first = "code:javascript" }', "powershell"))
    call = "[Acme]::Js(\"require('fs').unlinkSync('x')\")"
    assert kinds(call, "powershell") == ["code.eval", "fs.delete"]


CMDLET = """\
[[cmdlets]]
names = ["Remove-AcmeTenant"]
does = "infra.destroy"
positional = ["Name"]
parameters = { Name = "subject", Log = "fs.write" }
switches = { Force = ["force"] }

[[cmdlets.examples]]
code = "Remove-AcmeTenant orders -Force"
effects = [{ does = "infra.destroy", on = "orders", flags = ["force"] }]
"""


def test_a_described_cmdlet_is_read_by_its_description(
    own: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "acme.toml").write_text(CMDLET)
    assert kinds("remove-acmetenant orders -Log out.txt", "powershell") == ["fs.write", "infra.destroy"]
    assert main(["knowledge", "check", str(own / "acme.toml")]) == 0
    assert "1 example holds" in capsys.readouterr().out
    (own / "acme.toml").write_text(CMDLET.replace("Remove-AcmeTenant", "Invoke-Expression"))
    with pytest.raises(ConfigError, match="`Invoke-Expression` is read by code, which a description cannot replace"):
        load()


def test_a_cmdlet_in_the_workspace_only_adds(project: Path) -> None:
    name_in_project(project, '[[cmdlets]]\nnames = ["Remove-Item"]\ndoes = "out.print"\n')
    action = code("Remove-Item -Recurse -Force /", "powershell")
    assert load().engine().decide(action).verdict is Verdict.BLOCK
    name_in_project(project, CMDLET.replace("Remove-AcmeTenant", "Get-Date"))
    assert kinds("Get-Date", "powershell") == ["infra.destroy", "out.print"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("subprocess.run", "is read by code"),
        ("open", "is read by code"),
        ("os.listdir", "is read by code"),
        ("os.system", "runs code"),
        ("exec", "runs code"),
    ],
)
def test_a_function_that_code_reads_or_that_runs_code_cannot_be_replaced(
    own: Path, project: Path, name: str, why: str
) -> None:
    (own / "x.toml").write_text(describe(name))
    with pytest.raises(ConfigError, match=rf"x.toml:1: `{name}` {why}, which a description cannot replace"):
        load()


# the command line


def test_check_runs_the_examples(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "acme.toml"
    file.write_text(ACME)
    assert main(["knowledge", "check", str(file)]) == 0
    assert "2 examples hold" in capsys.readouterr().out
    file.write_text(ACME.replace(', flags = ["database"] }', " }"))
    assert main(["knowledge", "check", str(file)]) == 1
    assert "acme.toml:8: `import acme; acme.connect" in " ".join(capsys.readouterr().out.split())
    file.write_text(describe("acme.wipe", 'effects = ["infra.destroy"]'))
    assert main(["knowledge", "check", str(file)]) == 1
    assert "has no examples" in capsys.readouterr().out


def test_show_and_list_know_functions(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "acme.toml").write_text(ACME)
    assert main(["knowledge", "show", "os.rename"]) == 0
    out = capsys.readouterr().out
    assert "python" in out
    assert "lua" in out
    assert "fs.move" in out
    assert main(["knowledge", "show", "acme.Client.wipe"]) == 0
    assert "infra.destroy" in capsys.readouterr().out
    assert main(["knowledge", "show", "--source", "acme.Client"]) == 0
    assert capsys.readouterr().out == ACME
    assert main(["knowledge", "show", "os.renam"]) == 1
    assert "`os.renam` is not described; did you mean `os.rename`?" in capsys.readouterr().err
    assert main(["knowledge", "list", "rmtree"]) == 0
    assert "shutil.rmtree" in capsys.readouterr().out
    assert main(["knowledge", "list", "--yours"]) == 0
    out = capsys.readouterr().out
    assert "acme.Client.wipe" in out
    assert "os.rename" not in out
    assert main(["knowledge", "words", "native_library"]) == 0
    assert "A native library that is loaded." in capsys.readouterr().out


def test_show_names_what_code_reads(own: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "show", "subprocess.run"]) == 0
    assert "read by code" in capsys.readouterr().out
    assert main(["knowledge", "show", "atob"]) == 0
    assert "Base64, decoded." in capsys.readouterr().out
    assert main(["knowledge", "show", "platform.node"]) == 0
    assert "host_facts" in capsys.readouterr().out
