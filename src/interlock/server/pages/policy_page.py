"""The page of the policy editor."""

from __future__ import annotations

from typing import Any

from litestar import Response

from interlock.errors import ConfigError, MissingError
from interlock.policies.policy_input import compile_policy
from interlock.policy.field_types import FIELD_TYPES, OPERATOR_LABELS, OPERATORS_OF
from interlock.policy.limits import PERIODS
from interlock.server import policy_editor
from interlock.server.pages.condition_rows import ConditionRow
from interlock.server.pages.policy_diff import compare, diff_versions
from interlock.server.pages.policy_form import CHALLENGES, EMPTY_FORM, FormProblem, PolicyForm, check_form, open_form
from interlock.server.pages.posted_form import with_id
from interlock.server.pages.renderer import PageRenderer, PageRequest
from interlock.server.seen_values import load_seen_values

#: Stands in the URL for the id of a policy that does not exist yet.
NEW = "new"
#: The verdicts, and what each means.
VERDICTS = {
    "allow": "runs without approval, unless a floor or a stricter policy applies",
    "warn": "runs, and is marked in the record",
    "require_approval": "waits until somebody approves it",
    "block": "does not run",
}
_CHALLENGE_WORDS = {
    "": "default for the level",
    "confirm": "confirm",
    "quiz": "quiz about the effects",
    "teach_back": "explain the action in own words",
    "multi_party": "four eyes: two people",
}


def editor_page(
    request: PageRequest,
    pages: PageRenderer,
    policy_id: str,
    *,
    fields: PolicyForm | None = None,
    known: str = "",
    problem: FormProblem | None = None,
    chosen: tuple[int, int] | None = None,
    **values: Any,
) -> Response[str]:
    """Return the editor of a policy: as it is saved, or with the fields that were sent and what is wrong with them.

    `chosen` are the two versions to compare.
    """
    service, problem = pages.service, problem or FormProblem()
    versions = [] if policy_id == NEW else service.gate.policies.versions(policy_id)
    wire = _find_policy(pages, policy_id, was_removed=bool(versions))
    saved = wire.policy if wire else versions[0].policy if versions else None
    lossless = True
    if fields is None:
        try:
            fields = open_form(saved) if saved else EMPTY_FORM
        except ConfigError:
            fields, lossless = EMPTY_FORM, False
    with service.journal.database.read() as connection:
        seen = load_seen_values(connection)
    return pages.render(
        request,
        "policy.html",
        status=422 if problem.message else 200,
        policy_id=policy_id,
        wire=wire,
        saved=saved,
        fields=fields,
        rows=fields.rows or (ConditionRow(),),
        known=known or (policy_editor.etag(wire) if wire else ""),
        newest_tag=policy_editor.version_tag(versions[0]) if versions else "",
        versions=diff_versions(versions),
        comparison=compare(versions, chosen),
        problem=problem,
        warnings=find_form_warnings(pages, fields),
        is_new=policy_id == NEW,
        lossless=lossless,
        verdicts=VERDICTS,
        challenges=[(name, _CHALLENGE_WORDS[name]) for name in CHALLENGES],
        periods=list(PERIODS),
        field_types=FIELD_TYPES,
        operators=OPERATOR_LABELS,
        operators_of=OPERATORS_OF,
        seen=seen,
        **{"command": "", "simulation": None, "trial": None, "just_saved": False, "drafted": None, **values},
    )


def _find_policy(pages: PageRenderer, policy_id: str, *, was_removed: bool) -> policy_editor.PolicyWire | None:
    if policy_id == NEW:
        return None
    try:
        return policy_editor.get_policy(pages.service, policy_id)
    except MissingError:
        if not was_removed:
            raise
        return None  # it can be restored


def find_form_warnings(pages: PageRenderer, fields: PolicyForm) -> list[str]:
    """Return warnings about the policy in a form; none if it cannot be saved."""
    config = pages.service.gate.config
    given, _ = check_form(with_id(fields), config)
    return [] if given is None else policy_editor.find_warnings(pages.service, compile_policy(given, config))
