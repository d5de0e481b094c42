"""`interlock policy history`, `show` and `restore`: revisions, and the versions of a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from interlock.cli.local_time import full_time
from interlock.cli.policy_target import open_target
from interlock.errors import MissingError
from interlock.policies.difference import compare_versions, diff_policies
from interlock.policies.origin import PolicyOrigin
from interlock.policies.repository import PolicyVersion
from interlock.policies.revision import PolicyRevision
from interlock.policy.defaults import DEFAULT_POLICIES
from interlock.sanitise import plain
from interlock.show import console, pairs, print_difference, print_json_lines

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store
    from interlock.cli.commands.policies import ServerOptions


def show_history(policy_id: str | None, store: Store, server: ServerOptions, *, as_json: bool) -> int:
    """Print the revisions, or the versions of one policy, newest first."""
    with open_target(store, server) as target:
        if policy_id is not None:
            return _show_versions(policy_id, target.versions(policy_id), as_json=as_json)
        revisions = target.revisions()
    if as_json:
        print_json_lines(revisions)
        return 0
    if not revisions:
        print("no revisions; `interlock policy apply DIR` makes one")
        return 0
    for one in revisions:
        _show_revision(one)
    return 0


def compare(policy_id: str, old: int, new: int | None, store: Store, server: ServerOptions) -> int:
    """Print the lines in which two versions of a policy differ; by default, from an old one to the newest."""
    with open_target(store, server) as target:
        versions = target.versions(policy_id)
    if not versions:
        raise _missing_error(policy_id)
    newest = versions[0].version if new is None else new
    lines, out = compare_versions(versions, old, newest), console()
    out.print(Text(f"  version {old} → version {newest}", "bold") + Text("" if lines else "  no differences"))
    print_difference(lines)
    return 0


def _show_revision(one: PolicyRevision) -> None:
    out, author = console(), f", by {plain(one.origin.author)}" if one.origin.author else ""
    who = f"{full_time(one.applied_at)}  {plain(one.applied_by)}  {_count(one)}"
    out.print(Text(f"  revision {one.revision}", "bold") + Text(f"  {who}"))
    out.print(Text(f"      {plain(str(one.origin))}{author}", "dim"))
    if one.note:
        out.print(Text(f"      {plain(one.note)}", "dim"))


def _count(revision: PolicyRevision) -> str:
    removed = sum(change.removed for change in revision.changes)
    saved = len(revision.changes) - removed
    return ", ".join(f"{count} {word}" for count, word in ((saved, "saved"), (removed, "removed")) if count)


def _show_versions(policy_id: str, versions: list[PolicyVersion], *, as_json: bool) -> int:
    if not versions:
        raise _missing_error(policy_id)
    if as_json:
        print_json_lines(versions)
        return 0
    out = console()
    for new, old in zip(versions, [*versions[1:], None], strict=True):
        who = f"{full_time(new.changed_at)}  {plain(new.changed_by)}{_origin(new)}"
        out.print(Text(f"  version {new.version}", "bold") + Text(f"  {who}{'  removed' if new.removed else ''}"))
        if new.note:
            out.print(Text(f"      {plain(new.note)}", "dim"))
        print_difference(diff_policies(old.policy if old else None, new.policy))
    return 0


def _origin(version: PolicyVersion) -> str:
    return f"  revision {version.revision}, {plain(str(version.origin))}" if version.origin else "  by hand"


def _missing_error(policy_id: str, version: int | None = None) -> MissingError:
    name = f"policy `{plain(policy_id)[:80]}`"
    if version is not None:
        return MissingError(f"there is no version {version} of {name}")
    return MissingError(f"no {name} is stored; `interlock policy history` lists what was applied")


def show_policy(policy_id: str, version: int | None, store: Store, server: ServerOptions, *, as_json: bool) -> int:
    """Print a policy, or an older version of it, with its author and origin."""
    with open_target(store, server) as target:
        versions = target.versions(policy_id)
    found = next((one for one in versions if version in (None, one.version)), None)
    if found is None:
        return _show_shipped(policy_id, version, as_json=as_json)
    if as_json:
        print_json_lines([found])
        return 0
    rows: list[tuple[str, str]] = [
        ("policy", plain(policy_id)),
        ("version", f"{found.version}{', which removed it' if found.removed else ''}"),
        ("by", f"{plain(found.changed_by)}, {full_time(found.changed_at)}"),
    ]
    rows += _origin_rows(found.origin, found.revision) if found.origin else [("from", "written by hand")]
    rows += [("note", plain(found.note))] if found.note else []
    rows += [_row(line) for line in diff_policies(None, found.policy)]
    console().print(pairs(rows))
    return 0


def _origin_rows(origin: PolicyOrigin, revision: int | None) -> list[tuple[str, str]]:
    rows = [("from", origin.name), ("revision", str(revision)), ("commit", origin.commit), ("author", origin.author)]
    rows += [("repository", origin.repository), ("path", origin.path)]
    rows += [("uncommitted changes", "yes")] if origin.dirty else []
    return [(name, plain(text)) for name, text in rows if text]


def _row(line: str) -> tuple[str, str]:
    name, _, text = line.removeprefix("+ ").partition(": ")
    return name, plain(text)


def _show_shipped(policy_id: str, version: int | None, *, as_json: bool) -> int:
    """Print a policy that Interlock ships with, or raise."""
    shipped = next((policy for policy in DEFAULT_POLICIES if policy.policy_id == policy_id), None)
    if shipped is None or version is not None:
        raise _missing_error(policy_id, version)
    if as_json:
        print_json_lines([PolicyVersion(policy=shipped, version=0, changed_by="", changed_at=0, note="built in")])
        return 0
    rows = [("policy", policy_id), ("from", "built in"), *(_row(line) for line in diff_policies(None, shipped))]
    console().print(pairs(rows))
    return 0


def restore(policy_id: str, version: int, store: Store, server: ServerOptions) -> int:
    """Write an older version of a policy as its newest one."""
    with open_target(store, server, "policy restore") as target:
        new = target.restore(policy_id, version)
    print(f"version {version} of policy `{plain(policy_id)}` is in force again, as version {new}")
    return 0
