"""`interlock assess`: the verdict on one action, or on each line of standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.cli.decision_options import STATUS, Decide, action_from, decide_from, where
from interlock.errors import InterlockError, nearest
from interlock.model import Action, Decision
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.cli.commands.context_options import ContextOptions, Input


def run(text: str | None, given: Input, context: ContextOptions, *, batch: bool, as_json: bool) -> int:
    """Assess the given action, or every line of standard input."""
    decide = decide_from(context)
    if batch:
        if text is not None or given.tool is not None:
            raise InterlockError("`--batch` reads actions from standard input; give no text or tool")
        if given.python or given.sql or given.input is not None:
            raise InterlockError("`--batch` reads whole actions, with `toolName` and `inputPayload`")
        defaults = {NAMES[name]: value for name, value in where(context).items()}
        return run_batch(decide, defaults)
    action = action_from(text, given, context)
    return report(action, decide(action), as_json=as_json)


def report(action: Action, decision: Decision, *, as_json: bool) -> int:
    """Print a decision, as text or as JSON; return its exit status."""
    if as_json:
        from interlock.rules.standards.rule_ids import with_ids

        print(msgspec.json.encode(with_ids(decision.to_wire())).decode())
    else:
        show(action, decision)
    return STATUS[decision.verdict]


BOM = b"\xef\xbb\xbf"
_ID = late(rb'\s*\{\s*"id"\s*:\s*("[^"\\\\\x00-\x1f\x80-\xff]*"|\d{1,15})\s*[,}]')
NAMES = {field.name: field.encode_name for field in msgspec.structs.fields(Action)}
FIELDS = frozenset(NAMES.values())


def run_batch(decide: Decide, defaults: Mapping[str, Any]) -> int:
    """Answer the lines of standard input in order, as they arrive.

    `defaults` is the context from the command line, for fields that a line leaves out.
    """
    status = 0
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        answer = answer_line(decide, line.removeprefix(BOM), defaults)
        status = 1 if "error" in answer else status
        out.write(_encode(answer) + b"\n")
        out.flush()
    return status


def answer_line(decide: Decide, line: bytes, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decision on one line, or an error."""
    from interlock.rules.standards.rule_ids import with_ids

    found = _ID.match(line)
    identity: Any = json.loads(found[1]) if found else None  # found even if the rest is not valid JSON
    try:
        value = _decode(line)
        if not isinstance(value, dict):
            raise InterlockError(f"a line must be a JSON object, found `{type(value).__name__}`")
        identity = value.pop("id", identity)
        for name in value.keys() - FIELDS:
            raise InterlockError(f"unknown field `{name}`{nearest(name, sorted(FIELDS))}")
        action = msgspec.convert({**defaults, **value}, Action)
    except (ValueError, RecursionError, InterlockError) as error:
        return {"id": identity, "error": _safe(str(error) or type(error).__name__)}
    return {"id": identity, **with_ids(decide(action).to_wire())}


def _decode(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass  # the slower decoder accepts lone surrogates and huge numbers
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except ValueError as error:
        raise InterlockError(f"this is not JSON: {error}") from None


def _encode(answer: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(answer)
    except UnicodeEncodeError:  # an id may contain lone surrogates
        return json.dumps(answer).encode()


def _safe(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def show(action: Action, decision: Decision) -> None:
    """Print a decision as text."""
    from rich.text import Text

    from interlock.sanitise import plain
    from interlock.show import console, dangerous_spans, lines, pairs, sum_table, verdict_rows

    assessed = decision.assessment
    out = console()
    text = assessed.analysis.text or plain(action.tool_name)
    out.print()
    out.print(pairs([*verdict_rows(decision), ("action", lines(text, dangerous_spans(decision)))]))
    out.print()
    out.print(sum_table(decision))
    out.print()
    rows: list[tuple[str, Any]] = [
        *_label_first("why", assessed.reasons),
        *_label_first("touches", assessed.affected_resources),
    ]
    rows.append(("undo", "can be undone" if assessed.reversible else "cannot be undone"))
    if not assessed.coverage.full:
        rows.append(("coverage", "partial: " + plain("; ".join(assessed.coverage.opaque))))
    instead = dict.fromkeys(f.instead for f in assessed.findings if f.instead and f.level >= assessed.level)
    rows += [("instead", Text(plain(command), "green")) for command in instead]
    rows.append(("because", plain(decision.because)))
    rows += [
        ("policy", plain(f"{m.policy_id}: {m.action.value} {m.error}".rstrip())) for m in decision.matched_policies
    ]
    rows += [("override", plain(f"{override.by}: {override.what}")) for override in decision.overrides]
    if _place_unknown(decision):
        rows.append(
            (
                "hint",
                Text("it is unknown where this runs; add --here, or --cwd and --workspace", "dim"),
            )
        )
    out.print(pairs(rows))
    out.print()


def _label_first(label: str, values: Iterable[str]) -> list[tuple[str, str]]:
    from interlock.sanitise import plain

    return [(label if not index else "", plain(value)) for index, value in enumerate(values)]


def _place_unknown(decision: Decision) -> bool:
    effects = decision.assessment.effects
    return any(
        e.resource is not None and e.resource.place is not None and e.resource.place.value == "unknown" for e in effects
    )
