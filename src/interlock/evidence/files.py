"""The files of a pack: the content of each, and the lines of `docs/compliance.md` that it supports."""

from __future__ import annotations

import msgspec

RECORDS, PROOF, MANIFEST, README = "records.jsonl", "records.jsonl.proof", "manifest.json", "README.md"


class EvidenceFile(msgspec.Struct, frozen=True):
    """A file of a pack. `kinds` are the records that it copies; `serves` are lines of the page on compliance."""

    name: str
    shows: str
    serves: tuple[str, ...]
    kinds: tuple[str, ...] = ()

    def includes(self, kind: str) -> bool:
        """Whether the file has a copy of each record of a kind; `approval` covers `approval.requested`."""
        return kind in self.kinds or kind.partition(".")[0] in self.kinds


FILES = (
    EvidenceFile(
        RECORDS,
        "Every record from the first of the period to the last, each with its hash. Secrets are masked.",
        ("AARM R2", "AARM R5", "AI Act 12(1)", "AI Act 19(1)", "AI Act 26(6)", "ISO A.6.2.8", "NIST MEASURE 2.8"),
    ),
    EvidenceFile(
        PROOF,
        "The signed proof that ties `records.jsonl` to the chain, without a gap.",
        ("AARM R5", "AI Act 12(2)", "ISO A.6.2.8"),
    ),
    EvidenceFile(
        "verification.json",
        "The verification of the whole store when it was packed: how many records, and every fault.",
        ("AARM R5", "AI Act 12(2)", "NIST MEASURE 2.7"),
    ),
    EvidenceFile(
        "checkpoint.json",
        "The signed end of the chain. Kept elsewhere, it proves later that nothing before it was rewritten.",
        ("AARM R5", "AI Act 19(1)"),
    ),
    EvidenceFile(
        "signing-keys.json",
        "The public keys of the machines that have signed records.",
        ("AARM R5", "AARM R6"),
    ),
    EvidenceFile(
        "counts.json",
        "Actions by verdict, level, agent, rule and OWASP risk, and records by kind.",
        ("AARM R4", "AI Act 26(5)", "ISO A.6.2.6", "NIST MEASURE 2.4"),
    ),
    EvidenceFile(
        "approvals.jsonl",
        "Every request for approval: the action, who was asked, each answer with its time, and how it ended.",
        ("AARM R4", "AI Act 14(4)", "AI Act 26(2)", "ISO A.9.2", "NIST MAP 3.5"),
    ),
    EvidenceFile(
        "configuration.json",
        "The configurations in force at the beginning and at the end of the period: mode, rules off, roles.",
        ("AARM R3", "AI Act 26(1)", "ISO A.9.4", "NIST GOVERN 1.4"),
    ),
    EvidenceFile(
        "configuration-changes.jsonl",
        "Each time a configuration was loaded or a setting was changed, and by whom.",
        ("AI Act 12(2)", "ISO A.6.2.6", "NIST MANAGE 4.1"),
        ("configuration", "setting", "bundle", "start"),
    ),
    EvidenceFile(
        "policies.json",
        "The policies in force at the end of the period, and every stored version with its author.",
        ("AARM R3", "AI Act 26(1)", "ISO A.2.2", "NIST GOVERN 1.4"),
    ),
    EvidenceFile(
        "policy-changes.jsonl",
        "Each change of a policy: who changed what, when, and from which repository.",
        ("AARM R3", "ISO A.2.2", "NIST MANAGE 4.1"),
        ("policy",),
    ),
    EvidenceFile(
        "people.json",
        "People with their roles, groups, and API keys with owner, role and expiry. No passwords, no secrets.",
        ("AARM R6", "AARM R9", "AI Act 14(4)", "AI Act 26(2)", "ISO A.3.2", "NIST GOVERN 2.1", "NIST GOVERN 3.2"),
    ),
    EvidenceFile(
        "access-changes.jsonl",
        "Each change of people, groups and API keys, and each sign-in.",
        ("AARM R6", "AARM R9", "ISO A.3.2", "NIST GOVERN 2.1"),
        ("person", "group", "identity", "access", "session", "key"),
    ),
    EvidenceFile(
        "stops.jsonl",
        "Each stop of an agent, a key or everything, who ordered and who lifted it.",
        ("AI Act 14(4)", "AI Act 26(5)", "NIST MANAGE 2.4"),
        ("stop",),
    ),
    EvidenceFile(
        "exceptions.json",
        "What was not enforced: rules that are off, observed agents, crisis mode, grants in force.",
        ("AARM R1", "AI Act 26(5)", "ISO A.9.2", "NIST MANAGE 4.1"),
    ),
    EvidenceFile(
        "exceptions.jsonl",
        "Each override, bypass and observed action, and each grant that was made, used or revoked.",
        ("AARM R1", "AI Act 14(4)", "AI Act 26(5)", "ISO A.9.2", "NIST MANAGE 4.1"),
        ("override", "bypass", "observed", "grant", "approval.overridden", "answer", "spool", "accepted"),
    ),
    EvidenceFile(
        "retention.json",
        "How long records are kept, the floor below which none is removed, and each removal in the period.",
        ("AI Act 19(1)", "AI Act 26(6)", "ISO A.6.2.8"),
    ),
)
#: The files that are copies of records.
COPIES = tuple(file for file in FILES if file.kinds)
