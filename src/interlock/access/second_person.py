"""The notice that a second person was added: the first may no longer approve requests of their own agents."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.access.people import ACTIVE, People, Person
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS

#: For how long the first person is shown the notice.
RECENT_DAYS = 7


def describe_second_person(people: Iterable[Person], added: Person, actor: str, one_person: bool | None) -> str:
    """Return a notice if a person who was just added is the second one, unless the configuration decides.

    `one_person` is that setting of the configuration; if it is set, the number of people changes nothing.
    """
    others = [person for person in people if person.state == ACTIVE and person.name != added.name]
    if one_person is not None or len(others) != 1:
        return ""
    (first,) = others
    who, whose = ("You", "your") if first.name == actor else (plain(first.name), "their")
    return (
        f"{who} can no longer approve requests from {whose} own agents; {plain(added.name)} can. "
        "To keep approving alone, set `approvals.one_person = true`."
    )


def recent_second_person(people: People, reader: str, one_person: bool | None, at: int) -> str:
    """Return the notice for the first person, if the second was added recently, perhaps by signing in."""
    if one_person is not None or people.count() != 2:
        return ""
    everyone = people.list()
    *_, first, second = sorted((one for one in everyone if one.state == ACTIVE), key=lambda one: one.created_at)
    is_recent = at - second.created_at < RECENT_DAYS * 86_400 * MICROSECONDS
    return describe_second_person(everyone, second, reader, one_person) if is_recent and first.name == reader else ""
