"""Find suggestions: from the answers of the last months, tested on the whole history."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.config.schema import Config
from interlock.learning.approval_evidence import read_answers
from interlock.learning.from_approvals import suggest_grants
from interlock.learning.from_rejections import suggest_policies
from interlock.learning.suggestion import Suggestion
from interlock.learning.suggestion_responses import find_hidden_suggestions
from interlock.policy.policies import Policy
from interlock.store.clock import now_in
from interlock.store.database import Database


def find_suggestions(
    database: Database,
    policies: Sequence[Policy],
    config: Config,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Suggestion]:
    """Return the suggestions that were neither accepted nor dismissed, those with most answers first.

    `progress` is called with what is being read. The index of actions must be up to date, or suggestions are missed.
    """
    with database.read() as connection:
        at = now_in(connection).wall
    progress("reading answers")
    answers = read_answers(database, at)
    progress(f"comparing {len(answers.approved)} approvals with past actions")
    found = suggest_grants(database, answers, at)
    progress(f"comparing {len(answers.rejected)} rejections with past actions")
    found += suggest_policies(database, answers, policies, config)
    hidden = find_hidden_suggestions(database)
    open_ones = [one for one in found if one.evidence.answers >= hidden.get(one.suggestion_id, 0)]
    return sorted(open_ones, key=lambda one: (-one.evidence.answers, one.suggestion_id))
