"""Add the changes of one call to the memory of its run, within the limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from interlock.memory.model import (
    ANY_TAG,
    ClientContext,
    Concern,
    ConcernKind,
    Definition,
    Exposure,
    ExposureKind,
    MemoryChanges,
)

#: How many concerns are kept, and how much of each.
MAX_CONCERNS, MAX_SUBJECTS, MAX_SUBJECT, MAX_REASON = 12, 6, 160, 100
#: How many definitions are kept.
MAX_DEFINITIONS = 12
MAX_COUNTED = 40
MAX_OF_KIND = 12
MAX_TAGS = 50


def add_concerns(known: tuple[Concern, ...], changes: MemoryChanges, call: int) -> tuple[Concern, ...]:
    """Return the concerns with those of one more call.

    If there are too many, the oldest one of the kind with the most goes, so that many of one kind do not make the run
    forget another.
    """
    if changes.concern is None:
        return known
    kept = [*known, *(replace(one, call=call) for one in (changes.concern, *changes.others))]
    while len(kept) > MAX_CONCERNS:
        counts = Counter(one.kind for one in kept)
        kept.remove(max(kept, key=lambda one: counts[one.kind]))  # the first of those with the most
    return tuple(kept)


def add_definition(known: tuple[Definition, ...], changes: MemoryChanges, call: int) -> tuple[Definition, ...]:
    """Return the definitions with that of one more call, and without those whose use was approved.

    If there are too many, the oldest one of the tool with the most goes, so that many calls of one tool do not make
    the run forget another.
    """
    if changes.joined:
        known = tuple(one for one in known if one.call not in changes.joined)
    if changes.definition is None:
        return known
    kept = [*known, replace(changes.definition, call=call)]
    while len(kept) > MAX_DEFINITIONS:
        counts = Counter(one.tool for one in kept)
        kept.remove(max(kept, key=lambda one: counts[one.tool]))  # the first of those with the most
    return tuple(kept)


def mark_used(known: tuple[Concern, ...], calls: tuple[int, ...], users: tuple[str, ...]) -> tuple[Concern, ...]:
    """Return concerns after a person has approved that some programs use what these calls prepared."""
    if not calls or not users:
        return known
    return tuple(
        replace(one, used_by=limit_subjects((*one.used_by, *users)))
        if one.call in calls and one.kind is not ConcernKind.COPY
        else one
        for one in known
    )


def add_steps(known: Mapping[str, int], found: Iterable[str]) -> dict[str, int]:
    """Return the counts with the steps of one more call; the oldest are dropped."""
    kept = dict(known)
    for key in found:
        kept[key] = kept.pop(key, 0) + 1
    return dict(list(kept.items())[-MAX_COUNTED:])


def limit_subjects(values: Iterable[str]) -> tuple[str, ...]:
    """Return the different names, shortened, up to the limit of a concern."""
    return tuple(dict.fromkeys(value for value in values if len(value) <= MAX_SUBJECT))[:MAX_SUBJECTS]


def add_exposures(known: tuple[Exposure, ...], found: Iterable[Exposure], call: int) -> tuple[Exposure, ...]:
    """Return exposures with those of one more call. Each thing stays once; of every kind, the first and the newest.

    Only the newest switch of each client to a live system stays. Switching away does not remove it: that may be about
    something else.
    """
    kept = list(known)
    for one in found:
        alike = [other for other in kept if other.kind is one.kind]
        new = one
        if one.kind is ExposureKind.LIVE:
            new = replace(one, client="") if len(alike) >= MAX_OF_KIND else one
            kept = [other for other in kept if not _is_replaced(other, new)]
        elif any(other.what == one.what for other in alike):
            continue
        elif len(alike) >= MAX_OF_KIND:
            kept.remove(alike[MAX_OF_KIND // 2])
        kept.append(replace(new, call=call))
    return tuple(kept)


def _is_replaced(known: Exposure, switch: Exposure) -> bool:
    """Whether a newer switch to a live system takes the place of an exposure: of the same client, or of any."""
    return known.kind is ExposureKind.LIVE and switch.client in (known.client, "")


def add_contexts(
    known: tuple[ClientContext, ...], found: Iterable[ClientContext], call: int
) -> tuple[ClientContext, ...]:
    """Return contexts with those of one more call: the newest of each client counts."""
    kept = {one.client: one for one in known}
    kept |= {one.client: ClientContext(one.client, one.name, call) for one in found}
    return tuple(kept[client] for client in sorted(kept))


def add_tags(known: tuple[str, ...], found: Iterable[str]) -> tuple[str, ...]:
    """Return tags with some more; if there are too many, one entry stands for all of them."""
    kept = tuple(dict.fromkeys((*known, *found)))
    return (ANY_TAG,) if ANY_TAG in kept or len(kept) > MAX_TAGS else kept
