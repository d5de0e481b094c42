"""Actions that a grant by shape never covers: each needs its own approval."""

from __future__ import annotations

from interlock.approval.shape.ordinary_files import is_ordinary_file
from interlock.approval.shape.shape import Candidate
from interlock.levels import Level, Verdict
from interlock.model import Cause, Effect
from interlock.policy.liftable import NEVER_FLAGS, NEVER_RULES, SENDING

#: The kinds of effects that a shape can cover. Everything else is approved one action at a time.
_KINDS = frozenset(
    (
        "out.print fs.read fs.write fs.move fs.delete vcs.read vcs.change vcs.commit vcs.discard vcs.push "
        "package.read package.install package.remove process.spawn system.read net.fetch net.send message.send "
        "container.read container.change container.delete cluster.read cluster.change cluster.delete "
        "infra.read infra.change infra.destroy deploy.release local.change service.read record.change record.delete "
        "appointment.make payment.send order.place tool.read tool.change tool.destroy tool.draft"
    ).split()
)
#: Flags of data that others may read into, of files that other programs obey, or of all that a namespace holds.
_FLAGS = NEVER_FLAGS | frozenset(
    "git_internal startup executable disguised unread download config_file namespace".split()
)


#: The kinds of effects that a statement of a shape can have, how it may have them, and what written code may do.
_STATEMENTS = frozenset({"db.read", "db.write", "db.delete"})
_STATEMENT_FLAGS = frozenset({"many"})
_QUIET = frozenset({"out.print", "fs.read"})


def is_grantable(candidate: Candidate) -> bool:
    """Whether an action may be covered by a shape at all."""
    decision = candidate.decision
    needs, assessed = decision.needs, decision.assessment
    if decision.verdict is not Verdict.REQUIRE_APPROVAL or needs is None or decision.cause is Cause.FLOOR:
        return False
    if assessed.level is Level.CRITICAL or not assessed.coverage.full or not _has_plain_content(candidate):
        return False
    if needs.approvers > 1 or needs.challenge == "multi_party" or decision.budgets or decision.would_have is not None:
        return False
    if any(match.error for match in decision.matched_policies):
        return False
    if any(finding.floor or finding.rule in NEVER_RULES for finding in assessed.findings):
        return False
    if candidate.command_key and not _has_plain_shell(candidate):
        return False
    is_coverable = _is_coverable_statement if candidate.statement_key else _is_coverable
    return bool(assessed.effects) and all(map(is_coverable, assessed.effects))


def _has_plain_content(candidate: Candidate) -> bool:
    """Whether the written content has no effects of its own, and configures no other program."""
    analysis = candidate.decision.assessment.analysis
    if not candidate.path_key:
        return not analysis.written
    is_ordinary = all(
        not effect.flags and effect.resource is not None and is_ordinary_file(effect.resource.name)
        for effect in analysis.effects
    )
    return is_ordinary and all(effect.kind in _QUIET and not effect.flags for effect in analysis.written)


def _has_plain_shell(candidate: Candidate) -> bool:
    """Whether the words of a command determine what it does: no kept state of its shell changes their meaning.

    `GIT_DIR`, `KUBECONFIG`, an alias or another folder take the same command elsewhere.
    """
    if candidate.state is None:
        return True
    shell = candidate.state.shell
    is_there = shell.folder in ("", candidate.action.cwd)
    return is_there and not (shell.variables or shell.marks or shell.aliases or shell.functions)


def _is_coverable(effect: Effect) -> bool:
    if effect.kind not in _KINDS or not effect.flags.isdisjoint(_FLAGS):
        return False
    if effect.resource is not None and effect.resource.name.startswith("$"):  # known only when it runs
        return False
    return not (effect.kind in SENDING and "carried" in effect.flags)


def _is_coverable_statement(effect: Effect) -> bool:
    return effect.kind in _STATEMENTS and effect.flags <= _STATEMENT_FLAGS and effect.resource is not None
