"""Rules are named in the terms of OWASP, MITRE ATLAS and MITRE ATT&CK, and every id exists in its list."""

from __future__ import annotations

import re

from interlock.memory import model as memory
from interlock.memory.concerns import alias_use
from interlock.memory.live_systems import system_changes
from interlock.memory.repetition import repeated_calls, self_approval, small_steps
from interlock.memory.taint import disclosure
from interlock.memory.written_files import (
    agent_instructions,
    agent_notes,
    downloads,
    host_aliases,
    manifests,
    secret_arguments,
    timers,
    unread_formats,
)
from interlock.opinion import model
from interlock.rules import all_rules
from interlock.rules.standards.lists import FILES, find_reference, read_document, references
from interlock.rules.standards.rule_ids import OWASP_IDS, describe_ids, ids_of, references_of

#: What an id of each list looks like.
FORMS = {"OWASP": r"ASI(0[1-9]|10)", "ATLAS": r"AML\.T\d{4}(\.\d{3})?", "ATT&CK": r"T\d{4}(\.\d{3})?"}
OTHER_FINDINGS = (
    *(timers.RULE, secret_arguments.RULE, manifests.RULE),
    *(
        memory.LEAK_RULE,
        system_changes.RULE,
        repeated_calls.RULE,
        memory.PREPARED_RULE,
        memory.COPY_RULE,
        unread_formats.RULE,
    ),
    *(downloads.RULE, agent_instructions.RULE, model.RULE, memory.HAZARD_RULE, disclosure.RULE),
    *(alias_use.RULE, small_steps.RULE, self_approval.RULE, agent_notes.RULE, host_aliases.RULE, memory.JOINT_RULE),
)


def test_every_rule_has_an_id_of_owasp_and_of_atlas_and_every_id_is_listed() -> None:
    for name in [*(rule.name for rule in all_rules()), *OTHER_FINDINGS]:
        labels = [find_reference(id_).label for id_ in ids_of(name)]
        assert {"OWASP", "ATLAS"} <= set(labels), name
        assert labels == sorted(labels, key=list(FORMS).index), name
        assert len(set(ids_of(name))) == len(labels), name


def test_the_table_of_ids_names_rules_that_exist_in_their_family() -> None:
    families = {rule.name: rule.family for rule in all_rules()}
    rows = [(name, family) for family, lines in read_document("rules.toml").items() for name in lines]
    assert [(name, family) for name, family in rows if families.get(name, family) != family] == []
    assert sorted(name for name, _ in rows) == sorted([*families, *OTHER_FINDINGS])  # each once


def test_the_lists_are_whole_and_well_formed() -> None:
    assert list(FORMS) == list(FILES)
    for id_, found in references().items():
        assert re.fullmatch(FORMS[found.label], id_), id_
        assert found.name
        assert found.version
        assert found.url.startswith("https://")
        assert (found.parent is not None) == (id_.count(".") > id_.startswith("AML.")), id_
        assert found.tactics or found.label != "ATT&CK", id_
    counts = [sum(found.label == label for found in references().values()) for label in FORMS]
    assert counts == [10, 172, 679]  # of the versions that the files name
    assert tuple(id_ for id_, found in references().items() if found.label == "OWASP") == OWASP_IDS


def test_ids_are_shown_once_and_in_the_order_of_the_lists() -> None:
    assert describe_ids(["delete_root", "rm_recursive"]) == "OWASP ASI02 · ATLAS AML.T0101 · ATT&CK T1485"
    assert references_of(["a_rule_of_a_configuration"]) == ()
    lifecycle = find_reference("T1485.001")
    assert lifecycle.full_name == "Data Destruction: Lifecycle-Triggered Deletion"
    assert lifecycle.url == "https://attack.mitre.org/techniques/T1485/001/"
    assert find_reference("AML.T0051.001").full_name == "LLM Prompt Injection: Indirect"
