"""What a hook imports to decide one action by itself, and the tables by which the rest is imported on use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import interlock
from interlock.analyse.payloads.readers import READERS as TOOL_READERS
from interlock.analyse.shell.output.filters import FILTERS
from interlock.analyse.shell.readers import GROUPS, READERS
from interlock.audit.masking import mask
from interlock.audit.record import canonical
from interlock.lazy import LazyTable
from interlock.policy.defaults import DEFAULT_POLICIES
from tests.agents.hook_calls import LAUNCHED, call

LAUNCHER = Path(interlock.__file__).with_name("launch.py")
#: Prints the modules that are loaded when a hook has decided, instead of ending the process.
LISTING = f"""
import os, runpy, sys
os._exit = lambda status: (print(status, *sys.modules), sys.stdout.flush(), os.kill(os.getpid(), 9))
sys.argv = [{str(LAUNCHER)!r}, "hook", "claude-code", "--alone"]
runpy.run_path({str(LAUNCHER)!r}, run_name="__main__")
"""
#: Libraries, or parts of this one, that a hook for `git status` has no use for.
UNUSED = frozenset(
    (
        "_distutils_hack _hashlib asyncio base64 cel_expr_python concurrent cyclopts dataclasses email http inspect "
        "ipaddress jinja2 json litestar logging msgspec.inspect multiprocessing platform psycopg random re2 regex "
        "rich shlex socket sqlglot ssl subprocess tempfile textwrap tokenize tomllib typing_extensions urllib.parse "
        "uvicorn interlock.access interlock.accuracy interlock.agents.gateway interlock.agents.settings "
        "interlock.analyse.powershell interlock.analyse.python interlock.analyse.scripts interlock.analyse.sql "
        "interlock.approval.challenge interlock.approval.flow interlock.approval.repository "
        "interlock.approval.reviewer interlock.approval.terminal interlock.audit.export interlock.audit.verify "
        "interlock.cli.app interlock.config.readers interlock.gate.guard interlock.http_client "
        "interlock.knowledge.compile interlock.metrics interlock.rules.git interlock.rules.rule interlock.server "
        "interlock.show interlock.store.postgresql duckdb fsspec pyarrow interlock.history"
    ).split()
)
#: How many modules such a hook may load; each takes about as long as two hundred statements.
MOST = 334


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The modules of a process that decided on `git status`, with a store that existed before."""
    environment = {**os.environ, "INTERLOCK_HOME": str(tmp_path_factory.mktemp("home"))}
    given = call("claude-code", "git status")
    subprocess.run([*LAUNCHED, "claude-code", "--alone"], input=given, env=environment, check=True, timeout=60)
    line = [sys.executable, "-I", "-S", "-c", LISTING]
    said = subprocess.run(line, input=given, env=environment, capture_output=True, timeout=60, check=False)
    status, *names = said.stdout.decode().split()
    assert (status, said.stderr) == ("0", b"")
    return names


def test_a_hook_imports_what_it_needs(modules: list[str]) -> None:
    assert {"interlock.gate.gate", "interlock.analyse.shell.readers.git", "cryptography", "sqlite3"} <= set(modules)


@pytest.mark.parametrize("name", sorted(UNUSED))
def test_a_hook_does_not_import_what_it_has_no_use_for(modules: list[str], name: str) -> None:
    assert [found for found in modules if found == name or found.startswith(f"{name}.")] == []


def test_a_hook_reads_one_grammar_and_one_program(modules: list[str]) -> None:
    assert [found for found in modules if found.startswith("tree_sitter_")] == []  # bash is loaded without its package
    readers = [found for found in modules if found.startswith("interlock.analyse.shell.readers.")]
    assert sorted(found.rpartition(".")[2] for found in readers) == ["conditions", "git", "git_remotes"]


def test_a_hook_imports_few_modules(modules: list[str]) -> None:
    assert len(modules) < MOST


@pytest.mark.parametrize("table", [READERS, TOOL_READERS, FILTERS], ids=["programs", "tools", "filters"])
def test_a_lazy_table_lists_the_names_of_each_module(table: LazyTable[object]) -> None:
    for place in table.parts:
        assert list(table.load(place)) == list(table.parts[place]), place
    assert all(callable(table[name]) for name in table)
    assert "no-such-program" not in table
    assert table.get("no-such-program") is None


def test_every_module_of_readers_is_listed() -> None:
    folder = Path(interlock.__file__).parent / "analyse" / "shell" / "readers"
    declaring = {
        file.stem for file in folder.glob("*.py") if "dict[str, Callable[[ShellCall], Flow]] = " in file.read_text()
    }
    assert declaring - {"__init__"} == {place.partition(":")[0] for place in GROUPS}


def test_a_lazy_table_with_another_name_than_its_module_is_refused() -> None:
    wrong: LazyTable[object] = LazyTable("interlock.analyse.shell.readers", {"git:GIT": ("git", "got")})
    with pytest.raises(LookupError, match="got"):
        wrong["got"]


def test_shipped_policies_are_recorded_as_masking_would_leave_them() -> None:
    for policy in DEFAULT_POLICIES:
        assert canonical(mask(msgspec.to_builtins(policy))) == canonical(msgspec.to_builtins(policy))
