"""`interlock rules`: list the rules, or show one with its examples."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from interlock.errors import InterlockError, near_miss, nearest
from interlock.levels import Level
from interlock.rules import RULES, Rule
from interlock.rules.reference import as_dict
from interlock.rules.standards.lists import references
from interlock.rules.standards.rule_ids import ids_of, references_of
from interlock.show import console, level_text, pairs


def run(name: str | None, family: str | None, level: str | None, standard: str | None, *, as_json: bool) -> int:
    """List the rules, or show one."""
    rules = [_find(name)] if name is not None else _with_id(_select(family, level), standard)
    if as_json:
        import msgspec

        print(msgspec.json.encode([as_dict(rule) for rule in rules]).decode())
    elif name is not None:
        _show(rules[0])
    else:
        _list(rules)
    return 0


def _find(name: str) -> Rule:
    for rule in RULES:
        if rule.name == name:
            return rule
    near = near_miss(name, [rule.name for rule in RULES])
    raise InterlockError(f"unknown rule `{name}`{near or '; `interlock rules` lists them all'}")


def _select(family: str | None, level: str | None) -> list[Rule]:
    families = list(dict.fromkeys(rule.family for rule in RULES))
    if family is not None and family not in families:
        raise InterlockError(f"unknown family `{family}`{nearest(family, families)}")
    levels = [known.value for known in Level]
    if level is not None and level not in levels:
        raise InterlockError(f"unknown level `{level}`{nearest(level, levels)}")
    return [r for r in RULES if family in (None, r.family) and level in (None, r.level.value)]


def _with_id(rules: list[Rule], standard: str | None) -> list[Rule]:
    """Return the rules that have an id, or one of its sub-techniques."""
    if standard is None:
        return rules
    id_ = standard.upper()
    if id_ not in references():
        raise InterlockError(f"unknown id `{standard}`{nearest(id_, references())}")
    return [rule for rule in rules if any(f"{found}.".startswith(f"{id_}.") for found in ids_of(rule.name))]


def _list(rules: list[Rule]) -> None:
    out = console()
    table = Table(box=None, header_style="dim")
    for title in ("level", "rule", "family", "reason"):
        table.add_column(title, overflow="fold")
    for rule in rules:
        table.add_row(level_text(rule.level), rule.name, rule.family, rule.reason)
    out.print(table)
    out.print(Text(f"\n  {len(rules)} rules; `interlock rules NAME` shows one with its examples", "dim"))


def _show(rule: Rule) -> None:
    out = console()
    rows: list[tuple[str, Text | str]] = [
        ("rule", Text(rule.name, "bold")),
        ("family", rule.family),
        ("level", level_text(rule.level)),
        ("reason", rule.reason),
        ("undo", "can be undone" if rule.reversible else "cannot be undone"),
    ]
    if rule.floor:
        rows.append(("floor", "blocks in every mode; no policy lifts it"))
    rows += [
        ("standards" if not i else "", f"{found.id}  {found.full_name} ({found.standard} {found.version})")
        for i, found in enumerate(references_of([rule.name]))
    ]
    rows += [("eased", f"{level.value} where {key}") for key, level in rule.eased.items()]
    if rule.instead:
        rows.append(("instead", Text(rule.instead.replace("{}", "PATH"), "green")))
    rows += [("matches" if not i else "", Text(example, "red")) for i, example in enumerate(rule.match)]
    rows += [("does not" if not i else "", Text(example, "green")) for i, example in enumerate(rule.no_match)]
    out.print()
    out.print(pairs(rows))
    out.print()
