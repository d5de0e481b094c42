"""`interlock policy`: check a policy file, or test it on an action."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from interlock.approval.groups import all_members
from interlock.cli.assess import report
from interlock.cli.decision_options import action_from, config_from, decide_at
from interlock.cli.open_store import open_store
from interlock.config.load import load, load_policies
from interlock.config.schema import Config
from interlock.errors import ConfigError, StoreError
from interlock.policies.folder import read_folder
from interlock.policies.known_fields import load_known_fields, read_described_fields
from interlock.policies.policy_input import compile_policy
from interlock.policy.policies import Policy
from interlock.policy.policy_problems import KnownFields, PolicyProblem, find_policy_problems
from interlock.sanitise import plain
from interlock.show import console, verdict_text

if TYPE_CHECKING:
    from interlock.cli.commands.context_options import ContextOptions, Input
    from interlock.cli.commands.options import Store


def check(file: Path, store: Store) -> int:
    """Print the policies of a file or a folder and their problems, or raise if they do not load."""
    policies = _load_folder(file) if file.is_dir() else load_policies(file)
    problems = _review(policies, store, is_folder=file.is_dir())
    table = Table(box=None, header_style="dim")
    for title in ("policy", "action", "conditions", ""):
        table.add_column(title, overflow="fold")
    for policy in policies:
        conditions = [str(condition) for condition in policy.conditions] + ([policy.when] if policy.when else [])
        conditions += [f"{name} {hours}" for name in ("during", "outside") if (hours := getattr(policy, name))]
        table.add_row(
            plain(policy.policy_id), verdict_text(policy.action), plain(" and ".join(conditions) or "always"),
            "" if policy.enabled else "disabled",
        )  # fmt: skip
    out = console()
    out.print(table)
    for problem in problems:
        out.print(Text(f"  {'✗' if problem.fatal else '!'} {problem}", "red" if problem.fatal else "yellow"))
    count = f"{len(policies)} {'policy' if len(policies) == 1 else 'policies'}"
    out.print(f"\n  {file}: {count}, {f'{len(problems)} to look at' if problems else 'all good'}")
    return 1 if any(problem.fatal for problem in problems) else 0


def _load_folder(folder: Path) -> tuple[Policy, ...]:
    """Return the policies of a folder that is to be applied."""
    return tuple(compile_policy(given, Config()) for given in read_folder(folder).policies)


def _review(policies: tuple[Policy, ...], store: Store, *, is_folder: bool) -> list[PolicyProblem]:
    """Return the problems of policies, with the fields that the records of the store have, if there is one.

    The policies of a folder are applied elsewhere, where it is known who has which role.
    """
    known = load(store.config, trusting=True).roles
    roles = None if is_folder and not known else known
    try:
        with open_store(store.store, store.config) as found, found.database.read() as connection:
            roles = all_members(connection, known) or roles
            return find_policy_problems(policies, roles, load_known_fields(connection))
    except (ConfigError, StoreError):  # records add to what is known, and are not needed
        return find_policy_problems(policies, roles, KnownFields(read_described_fields))


def test(file: Path, text: str | None, given: Input, context: ContextOptions, *, as_json: bool) -> int:
    """Decide an action by the mode and the policies of a file alone."""
    policies = load_policies(file)
    action = action_from(text, given, context)
    config = config_from(context)
    typed = tuple(policy for policy in config.policies if policy.policy_id.startswith("typed-"))
    engine = config.engine(policies=(*policies, *typed), default_policies=False)
    decision = decide_at(engine, action, context)
    status = report(action, decision, as_json=as_json)
    if not as_json and not decision.matched_policies:
        print("  no policy of the file matches\n")
    return status
