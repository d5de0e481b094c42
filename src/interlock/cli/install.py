"""`interlock install`, `uninstall` and `doctor`: hooks in agents' settings, and proof that they work."""

from __future__ import annotations

import compileall
import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import interlock
from interlock.agents.coding import AGENTS, NAMES, find_agent
from interlock.agents.coding.agent import Agent
from interlock.agents.settings import installer
from interlock.agents.settings.command import InstallOptions
from interlock.agents.settings.health import Health, check_all
from interlock.agents.settings.proof import prove_hook as prove_hook
from interlock.config.load import find_central, load
from interlock.errors import ConfigError, InterlockError
from interlock.sanitise import plain
from interlock.show import columns, console

_SHARED = "Everyone who works on this project needs `interlock` on their PATH; without it, every action is denied."
_GIVEN_AWAY = (
    "With --auto-approve {level}, actions that Interlock analyses completely and rates {level} or lower run without\n"
    "the agent's own prompt, whatever the agent's rules say. Nobody sees them before they run; they are recorded."
)


def install(name: str, options: InstallOptions, *, project: bool, dry_run: bool) -> int:
    """Add a hook to an agent's settings."""
    agent = find_agent(name)
    change = installer.plan_install(agent, options, Path.cwd() if project else None)
    if dry_run:
        return _show(change, "installed already; nothing would change")
    if options.auto_approve:
        print(_GIVEN_AWAY.format(level=options.auto_approve))
    if not change.changes:
        print(f"installed already: {plain(str(change.file))}")
        return 0
    installer.install(change)
    _compile()
    print(f"installed: {plain(str(change.file))}")
    _advise(agent, project=project)
    return 0


def list_agents() -> int:
    """Print the agents that can be guarded: where each is guarded already, and what to type for the others."""
    table = columns("agent", "installed", "to install")
    for agent in AGENTS:
        found = [health for health in check_all(Path.cwd()) if health.agent is agent and health.is_installed]
        files = "\n".join(plain(str(health.file)) for health in found)
        table.add_row(agent.name, files or "no", "–" if found else f"interlock install {agent.name}")
    console().print(table)
    print("`--project` installs the hook in this folder's project, for everyone who works on it.")
    return 0


def _advise(agent: Agent, *, project: bool) -> None:
    """Print the next steps, and the limits of the hook."""
    print(agent.advice.next_step)
    if project:
        print(_SHARED)
    print(f"What it does not protect (docs/{agent.advice.page}):")
    for limit in agent.advice.unprotected:
        print(f"  - {limit}")
    print("`interlock doctor --prove` tests the hook; `interlock uninstall` restores the file.")


def uninstall(name: str, *, project: bool, dry_run: bool) -> int:
    """Remove a hook from an agent's settings."""
    change = installer.plan_uninstall(find_agent(name), Path.cwd() if project else None)
    if dry_run:
        return _show(change, "not installed; nothing would change")
    installer.uninstall(change)
    print(f"{'uninstalled' if change.changes else 'not installed'}: {plain(str(change.file))}")
    return 0


def _show(change: installer.FileChange, nothing: str) -> int:
    print("\n".join(plain(line) for line in change.diff.splitlines()) if change.changes else nothing)
    return 0


def _compile() -> None:
    """Compile the modules that a hook imports, so that its first call is as fast as later ones."""
    with contextlib.redirect_stdout(io.StringIO()):  # a read-only installation is no problem
        compileall.compile_dir(Path(interlock.__file__).parent, quiet=2)


def doctor(*, prove: bool) -> int:
    """Print the installed hooks and their problems; with `prove`, test the hooks with sample calls."""
    found = check_all(Path.cwd())
    well = True
    with _end_new_daemons() if prove else contextlib.nullcontext():
        for health in found:
            if health.is_installed or health.problems:
                well = _report_health(health, prove=prove) and well
    if not any(health.is_installed for health in found):
        first, *others = NAMES
        print(f"no agent is guarded yet; run `interlock install {first}` (or {', '.join(others)})")
        well = well and not prove
    well = _report_configuration() and well
    well = _report_bundle() and well
    well = _report_servers() and well
    return 0 if well else 1


@contextlib.contextmanager
def _end_new_daemons() -> Iterator[None]:
    """End the daemons that a proof has started: they use the store of the proof."""
    from interlock.cli import daemon

    before = daemon.list_running()
    try:
        yield
    finally:
        for name, process in daemon.list_running():
            if (name, process) not in before:
                daemon.end(name, process)


def _report_bundle() -> bool:
    """Print the bundle in force, if a server manages this machine; return whether all is well."""
    from interlock.cli.central import find_status, print_status

    try:
        settings = find_central()
    except InterlockError:
        return False  # the configuration does not load, which is printed already
    return settings is None or print_status(find_status(settings))


def _report_servers() -> bool:
    """Print the problems with the configurations of servers that share the store; return whether all is well."""
    from interlock.access.servers import describe_problems, list_servers
    from interlock.cli.open_store import open_store

    try:
        with open_store(None, None) as found, found.database.read() as connection:
            problems = describe_problems(list_servers(connection))
    except InterlockError:
        return True  # there is no store yet, or it does not answer, which `interlock store status` explains
    for problem in problems:
        print(f"✗ {plain(problem)}")
    return not problems


def _report_configuration() -> bool:
    """Print the errors in the configuration, and the agents that are only observed; return whether it loads."""
    from interlock.metrics.observed_callers import list_observed
    from interlock.store.clock import now

    try:
        config = load()
    except InterlockError as error:
        print("✗ the configuration does not load, so every hook denies every action:")
        for part in error.parts if isinstance(error, ConfigError) else (error,):
            print(f"    {plain(str(part))}")
        return False
    for one in list_observed(config.observe, (), now().wall):
        print(f"! {plain(str(one))} is only observed: its actions run; `interlock observe` shows how to enforce")
    return True


def _report_health(health: Health, *, prove: bool) -> bool:
    """Print the health of one file; return whether all is well."""
    print(f"{'✗' if health.problems else '✓'} {health.agent.name}  {plain(str(health.file))}")
    for problem in health.problems:
        print(f"    ✗ {plain(problem)}")
    if not health.is_installed:
        return False
    print(f"    at {', '.join(health.commands)}")
    if not prove or health.shell_hook is None:
        return not health.problems
    well = not health.problems
    for check in prove_hook(health.agent, *health.shell_hook):
        well = well and check.is_correct
        shown = f"{check.what}: {plain(check.outcome)}  ({check.seconds * 1000:.0f} ms)"
        print(f"    {'✓' if check.is_correct else '✗'} {shown}")
        sys.stdout.flush()
    return well
