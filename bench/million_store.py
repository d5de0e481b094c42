"""A store with a million actions, and with the requests, runs, agents, people and settings that a large team has."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from interlock.access.groups import Groups
from interlock.access.keys import AccessKeys
from interlock.access.people import People
from interlock.access.roles import Role
from interlock.approval.assignments import Assignments
from interlock.approval.comments import Comments
from interlock.approval.grants import remember
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState, GrantScope
from interlock.approval.rows import find_row, make_entry, without_seq
from interlock.approval.transitions import open_request
from interlock.approval.views import Views
from interlock.audit.chain import Transaction
from interlock.audit.record import Entry, canonical
from interlock.audit.rows import write_row
from interlock.audit.runs import ENDED, OPEN, Run, start_run
from interlock.gate import Gate
from interlock.ids import new_id
from interlock.metrics.action_index import index_new_actions
from interlock.metrics.counters import count_new_records
from interlock.model import Action
from interlock.policies.repository import PolicyRepository
from interlock.policy.policies import Policy
from interlock.store.clock import MICROSECONDS, Moment, now
from interlock.store.tables import answers, approvals

ACTIONS = int(os.environ.get("ACTIONS", "1000000"))
#: With fewer actions, everything else is fewer as well.
SHARE = ACTIONS / 1_000_000
PENDING, PAST, RUNS = int(10_000 * SHARE), int(100_000 * SHARE), int(50_000 * SHARE)
AGENTS, PEOPLE, KEYS, POLICIES, GROUPS, VIEWS, TALKED_ABOUT = 50, 20, 30, 40, 10, 10, 200
DAY = 86_400 * MICROSECONDS
SPAN = 30 * DAY
AT_ONCE = 1_000
TOOLS = ("Bash", "Write", "Read", "python", "sql", "deploy")
LEVELS = {"safe": "allow", "low": "allow", "medium": "warn", "high": "require_approval", "critical": "block"}
PLACES = ("", "", "", "development", "staging", "production")
ENDS = (ApprovalState.APPROVED, ApprovalState.APPROVED, ApprovalState.REJECTED, ApprovalState.EXPIRED)
ASKED = (
    "git push --force origin main",
    "kubectl delete ns shop",
    "terraform destroy -auto-approve",
    "rm -rf ~/backups",
    "psql -c 'DROP TABLE users'",
    "aws s3 rm s3://logs --recursive",
)
Write = Callable[[Transaction], object]


class Builder:
    """Fills a store. The same actions come out each time."""

    def __init__(self, gate: Gate) -> None:
        self._gate, self._journal = gate, gate.journal
        self._chance, self._at = random.Random(1), now()
        self._runs = [f"run-{number:05d}" for number in range(RUNS)]

    def build(self) -> None:
        """Fill the store, a part at a time."""
        self._write(self._starts())
        self._write(map(_appending, map(self._decision, range(ACTIONS - PENDING - PAST))))
        samples = self._samples()
        self._write(self._past(samples, number) for number in range(PAST))
        self._write(self._pending(samples, number) for number in range(PENDING))
        self._administration()
        count_new_records(self._journal)
        index_new_actions(self._journal)

    def _write(self, writes: Iterable[Write]) -> None:
        left = iter(writes)
        while some := list(islice(left, AT_ONCE)):
            self._journal.commit(lambda transaction, some=some: [write(transaction) for write in some])

    def _starts(self) -> Iterator[Write]:
        """Yield the starts of the runs; of most of them nothing else is recorded than actions."""
        for number, run_id in enumerate([*self._runs, "big"]):
            run = Run(
                run_id=run_id,
                agent_id=f"agent-{number % AGENTS}",
                started_by=f"person-{number % PEOPLE}",
                workspace=f"/work/project-{number % 7}",
                state=ENDED if number % 10 else OPEN,
                started_at=self._at.wall - SPAN + SPAN * number // (RUNS + 1),
            )
            yield lambda transaction, run=run: start_run(transaction, run)

    def _decision(self, number: int) -> Entry:
        """Return an action. A tenth are in one long run, the others in the runs of their time."""
        chance = self._chance
        level = chance.choices(list(LEVELS), [30, 40, 20, 7, 3])[0]
        run = min(RUNS - 1, RUNS * number // ACTIONS + chance.randrange(20))
        data: dict[str, Any] = {
            "text": f"git commit -m 'change {number}' && npm run build",
            "level": level,
            "score": chance.randrange(100),
            "mode": "full",
            "because": "mode `full`",
            "rules": ["vcs-history"] if level in ("high", "critical") else [],
            "resources": ["file:/w/x"],
            "coverage": "full",
            "effects": ["vcs.commit"],
            "environment": chance.choice(PLACES),
            "keyId": f"key-{number % KEYS}",
        }
        return Entry(
            kind="decision",
            at=self._at.wall - SPAN + SPAN * number // ACTIONS,
            actor=f"agent-{run % AGENTS}",
            name=chance.choice(TOOLS),
            run_id="big" if number % 10 == 0 else self._runs[run],
            agent_id=f"agent-{run % AGENTS}",
            outcome=LEVELS[level],
            digest="0" * 64,
            data=data,
        )

    def _samples(self) -> list[Approval]:
        """Return requests as the gate opens them, to be copied; they are cancelled at once."""
        found = []
        for text in ASKED:
            for place in ("staging", "production"):
                session = self._gate.session_of("person-1", "samples", "agent-0", None)
                opened = session.submit(Action.shell(text, environment=place)).approval
                if opened is not None:
                    found.append(self._gate.approvals.cancel(opened.approval_id, "person-2"))
        return found

    def _copy(self, samples: list[Approval], number: int, at: Moment) -> Approval:
        """Return a request like a sample. Every tenth pending request equals others, so that there are groups."""
        sample = samples[number % len(samples)]
        run = self._chance.randrange(RUNS)
        return msgspec.structs.replace(
            sample,
            approval_id=new_id(),
            run_id=self._runs[run],
            agent_id=f"agent-{run % AGENTS}",
            started_by=f"person-{run % PEOPLE}",
            digest=sample.digest if number % 10 == 0 else f"{number:064x}",
            decision={**sample.decision, "text": f"{sample.decision['text']} # {number}"},
            state=ApprovalState.PENDING,
            created_at=at.wall,
            expires_at=at.wall + 30 * DAY,
            why="",
        )

    def _open(self, transaction: Transaction, approval: Approval, at: Moment) -> None:
        """Record the decision that a request is about, and the request."""
        decided = self._decision(self._chance.randrange(ACTIONS))
        names = {"run_id": approval.run_id, "agent_id": approval.agent_id, "digest": approval.digest, "at": at.wall}
        text = {"text": approval.decision["text"], "level": approval.decision["level"]}
        entry = msgspec.structs.replace(decided, outcome="require_approval", data={**decided.data, **text}, **names)
        transaction.append(entry)
        open_request(transaction, approval, at)

    def _pending(self, samples: list[Approval], number: int) -> Write:
        """Return the opening of a request, in the last hours."""
        back = DAY // 2 * (PENDING - number) // PENDING
        at = self._at._replace(wall=self._at.wall - back, ticks=self._at.ticks - back)
        approval = self._copy(samples, number, at)
        return lambda transaction: self._open(transaction, approval, at)

    def _past(self, samples: list[Approval], number: int) -> Write:
        """Return the opening of a request in the last month, and its end some seconds later."""
        at = Moment(self._at.wall - SPAN + SPAN * number // PAST - DAY, "", 0)
        approval = self._copy(samples, number, at)
        ended = at.wall + self._chance.randrange(1, 3_600) * MICROSECONDS

        def write(transaction: Transaction) -> None:
            self._open(transaction, approval, at)
            self._end(transaction, approval, ENDS[number % len(ENDS)], f"person-{number % PEOPLE}", ended)

        return write

    def _end(self, transaction: Transaction, approval: Approval, state: ApprovalState, who: str, at: int) -> None:
        row = find_row(transaction.connection, approval.approval_id)
        if state is not ApprovalState.EXPIRED:
            scope = GrantScope.DAY if self._chance.randrange(20) == 0 else GrantScope.ONCE
            verdict = AnswerVerdict.APPROVE if state is ApprovalState.APPROVED else AnswerVerdict.REJECT
            answer = Answer(approver=who, verdict=verdict, scope=scope, at=at)
            given = {"approval_id": approval.approval_id, "approver": who, "answer": canonical(answer).decode()}
            data = {"answer": msgspec.to_builtins(answer)}
            entry = make_entry("approval.answered", row, who, at, data, who, verdict.value)
            write_row(transaction, answers, given, entry, new=True)
            if verdict is AnswerVerdict.APPROVE:
                answered = msgspec.structs.replace(approval, answers=(answer,))
                remember(transaction, answered, self._gate.approvals.rules.settings, at)
        entry = make_entry(f"approval.{state.value}", row, who, at, {"why": "done"}, outcome=state.value)
        moved = {**without_seq(row), "state": state.value, "why": "done"}
        write_row(transaction, approvals, moved, entry, new=False)

    def _administration(self) -> None:
        """Add people, keys, groups, policies, and what people said about the newest requests."""
        people, groups = People(self._journal), Groups(self._journal)
        for number in range(PEOPLE):
            people.add(f"person-{number}", Role.REVIEWER if number else Role.ADMIN, "bench")
        for number in range(KEYS):
            AccessKeys(self._journal).create(f"key-{number}", Role.AGENT, owner="person-1", actor="bench")
        for number in range(GROUPS):
            groups.create(f"group-{number}", "bench")
            groups.add(f"group-{number}", f"person-{number}", "bench")
        for number in range(VIEWS):
            Views(self._journal).save("person-1", f"View {number}", f"agent=agent-{number}", shared=True)
        repository = PolicyRepository(self._journal)
        for number in range(POLICIES):
            policy = Policy(policy_id=f"policy-{number}", when=f"toolName == 'tool-{number}'")
            repository.save(policy, "person-0", known=None)
        for one in self._gate.approvals.list(limit=TALKED_ABOUT):
            Comments(self._journal).add(one.approval_id, "person-3", "Is this still needed?")
            other = "person-4" if one.started_by != "person-4" else "person-5"
            Assignments(self._journal).assign(one.approval_id, other, "person-3", self._gate.approvals.rules)


def _appending(entry: Entry) -> Write:
    return lambda transaction: transaction.append(entry)
