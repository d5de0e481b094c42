"""Rehearsals: dry runs, calls on a test system, and changes that stay drafts."""

from __future__ import annotations

#: Effects that the name of a project, an account or a place cannot make a rehearsal.
_BINDING = frozenset(
    (
        "payment.send order.place contract.sign access.grant security.lower data.export account.change record.delete "
        "message.send content.publish document.share"
    ).split()
)
#: Verbs of tools that never create a draft, whatever state an argument names.
_CONCLUDING = {
    "contract.sign": frozenset({"sign", "approve"}),
    "order.place": frozenset({"pay", "transfer", "trade", "approve", "submit"}),
}
#: Effects that wait while what is written is a draft.
_DRAFTABLE = frozenset(
    (
        "content.publish message.send contract.sign appointment.make automation.install order.place "
        "document.share deploy.release infra.change"
    ).split()
)


def is_for_practice(kind: str, flags: frozenset[str], verb: str, said: str = "") -> bool:
    """Whether an effect is rehearsed, happens on a test system, or leaves a draft behind."""
    if not flags.isdisjoint(("rehearsed", "practice")):
        return True
    if "practice_name" in flags and kind not in _BINDING:
        return True
    if "scratch_name" in flags and kind == "record.delete":
        return True
    return "drafted" in flags and kind in _DRAFTABLE and verb not in _CONCLUDING.get(kind, ()) and said != "place"
