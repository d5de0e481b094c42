"""`interlock policy apply` and `rollback`: plan, show, and carry out, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.cli import print_error
from interlock.cli.git_origin import find_origin
from interlock.cli.policy_plan import show_plan, show_simulation, simulate_plan
from interlock.cli.policy_target import PolicyTarget, open_target
from interlock.errors import ConfigError, InterlockError, InvalidPoliciesError, PolicyConflictError, ServerError
from interlock.policies.folder import FolderContents, FolderError, PolicyLocation, read_folder
from interlock.policies.plan import PolicyPlan
from interlock.policies.policy_input import policy_input
from interlock.policies.revision import MAX_POLICIES, AppliedPolicies, PolicyFolder, Rollback
from interlock.policies.simulation import Simulation

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store
    from interlock.cli.commands.policies import Apply, ServerOptions

#: The exit statuses of `apply` and `rollback`, besides 0.
ERROR, CHANGES = 2, 3
_DIRTY = (
    "`{}` has changes that are not committed, so the recorded commit would not be what is applied; commit them, or use "
    "`--allow-dirty`, which records that"
)


def apply(path: Path, given: Apply, store: Store, server: ServerOptions, *, as_json: bool) -> int:
    """Make the stored policies equal to those of a folder, or show the plan."""
    places: dict[str, PolicyLocation] = {}
    try:
        contents = _read(path, given)
        places.update(contents.places)
        folder = PolicyFolder(
            origin=find_origin(path, given.origin, given.commit, given.author),
            policies=contents.policies,
            overwrite=given.overwrite,
            prune=given.prune,
            note=given.note,
        )
        if folder.origin.dirty and not given.dry_run and not given.allow_dirty:
            raise InterlockError(_DIRTY.format(path))
        with open_target(store, server, None if given.dry_run else "policy apply") as target:
            plan = target.plan(folder)
            if given.dry_run or plan.conflicts:
                return _report_plan(target, plan, places, given.last if given.dry_run else 0, as_json=as_json)
            return _report_applied(
                target.apply(msgspec.structs.replace(folder, base=plan.base)), places, as_json=as_json
            )
    except (InterlockError, msgspec.ValidationError) as error:
        return _report_error(error, places, as_json=as_json)


def roll_back(number: int, given: Apply, store: Store, server: ServerOptions, *, as_json: bool) -> int:
    """Restore the policies of an origin to a revision, or show the plan."""
    try:
        with open_target(store, server, None if given.dry_run else "policy rollback") as target:
            revision, policies = target.revision(number)
            folder = PolicyFolder(
                origin=revision.origin, policies=list(map(policy_input, policies)), overwrite=given.overwrite
            )
            plan = target.plan(folder)
            if given.dry_run or plan.conflicts:
                return _report_plan(target, plan, {}, given.last if given.dry_run else 0, as_json=as_json)
            wanted = Rollback(overwrite=given.overwrite, base=plan.base, note=given.note)
            return _report_applied(target.roll_back(number, wanted), {}, as_json=as_json)
    except InterlockError as error:
        return _report_error(error, {}, as_json=as_json)


def _read(path: Path, given: Apply) -> FolderContents:
    contents = read_folder(path)
    if not contents.policies and not given.allow_empty:
        raise InterlockError(
            f"there are no policies in `{path}`; use `--allow-empty` to remove every policy that it added earlier"
        )
    if len(contents.policies) > MAX_POLICIES:
        raise InterlockError(
            f"`{path}` has {len(contents.policies):,} policies; at most {MAX_POLICIES:,} can be applied"
        )
    return contents


def _report_plan(
    target: PolicyTarget, plan: PolicyPlan, places: Mapping[str, PolicyLocation], last: int, *, as_json: bool
) -> int:
    """Print a plan and its effect on past actions; return the exit status."""
    simulation = simulate_plan(target, plan, last) if plan.changes and last else None
    if as_json:
        _print_json(plan, None, simulation)
    else:
        show_plan(plan, places)
        if simulation is not None:
            show_simulation(simulation)
    return ERROR if plan.conflicts else CHANGES if plan.changes else 0


def _report_applied(applied: AppliedPolicies, places: Mapping[str, PolicyLocation], *, as_json: bool) -> int:
    if as_json:
        _print_json(applied.plan, applied.revision, None)
        return 0
    show_plan(applied.plan, places, done=applied.revision is not None)
    if applied.revision is not None:
        print(f"  revision {applied.revision}; `interlock policy rollback REVISION` restores an earlier one")
    return 0


def _print_json(plan: PolicyPlan, revision: int | None, simulation: Simulation | None) -> None:
    found: dict[str, Any] = {"applied": revision is not None, "revision": revision, "plan": plan}
    print(msgspec.json.encode({**found, "simulation": simulation, "errors": []}).decode())


def _report_error(error: Exception, places: Mapping[str, PolicyLocation], *, as_json: bool) -> int:
    """Print all errors, each with its file and line; return the exit status."""
    errors = list(_errors(error, places))
    if as_json:
        found = [{"file": one.file, "line": one.line, "message": one.message} for one in errors]
        nothing = {"applied": False, "revision": None, "plan": None, "simulation": None}
        print(msgspec.json.encode({**nothing, "errors": found}).decode())
    for one in errors:
        print_error(str(one))
    if len(errors) > 1:
        print_error(f"{len(errors)} errors; nothing was changed")
    return ERROR


def _errors(error: Exception, places: Mapping[str, PolicyLocation]) -> list[ConfigError]:
    if isinstance(error, FolderError):
        return error.errors
    if isinstance(error, InvalidPoliciesError | PolicyConflictError | ServerError) and error.errors:
        nowhere = PolicyLocation("", None)
        return [
            ConfigError(f"policy `{policy_id}`: {text}" if policy_id else text).at(*places.get(policy_id, nowhere))
            for policy_id, text in error.errors
        ]
    return [error if isinstance(error, ConfigError) else ConfigError(str(error))]
