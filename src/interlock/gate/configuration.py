"""The configuration in force: files and stored policies, reloaded when they change. Every change is recorded."""

from __future__ import annotations

import functools
import threading
import time
from typing import TYPE_CHECKING

from interlock.audit.chain import Transaction
from interlock.audit.configuration import record_configuration
from interlock.audit.identity import machine_name
from interlock.audit.journal import Journal
from interlock.audit.masking import mask_classes
from interlock.audit.record import Entry
from interlock.audit.setup_stamp import stamp_setup
from interlock.audit.spool import Spool
from interlock.config.live import LiveEngine
from interlock.config.schema import Config
from interlock.documents import Layer
from interlock.engine import Engine
from interlock.errors import ConfigError, StoreError, TamperedError
from interlock.gate.options import approval_rules
from interlock.gate.stop_list import StopFinder

if TYPE_CHECKING:
    from interlock.approval.repository import ApprovalRepository
    from interlock.gate.baselines import Baselines
    from interlock.policies.repository import PolicyRepository
    from interlock.policy.drift import Baseline

#: How long the configuration files are assumed to be unchanged after a check.
LOOK_SECONDS = 0.02


class ActiveConfiguration:
    """Follows the configuration files and the policies in the store."""

    def __init__(self, live: LiveEngine, journal: Journal, spool: Spool) -> None:
        self._live, self._journal, self._spool = live, journal, spool
        self.counts_people = journal.database.is_sqlite  # a server does in any store
        self.approval_rules = approval_rules(live.config, counts_people=self.counts_people)
        mask_classes(live.config.audit.mask)
        self._register: ApprovalRepository | None = None
        self._looked = 0.0
        self.stops = StopFinder()  # whose actions are all refused
        self._baselines: Baselines | None = None
        self._stamp: tuple[Engine, str] | None = None  # of the engine that was in force when it was computed
        self._newest_policy = 0  # the newest record about a policy when the policies were read
        self._foreign = 0  # how often other processes had written then
        self.reset_lock()

    def reset_lock(self) -> None:
        """Replace the locks that the parent of a forked process may have held."""
        if self._baselines is not None:
            self._baselines.reset_lock()
        self._loading = threading.Lock()
        self._opening = threading.Lock()  # of the requests for approval; never held while anything waits

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self._live.config

    @property
    def engine(self) -> Engine:
        """The engine that decides now."""
        return self._live.engine

    def stamp(self) -> str:
        """Return the stamp of the set-up that decides now, computed once for each engine."""
        engine, config = self.engine, self.config
        if self._stamp is None or self._stamp[0] is not engine:
            found = stamp_setup(config, engine.policies, own_engine=self._live.has_own_engine)
            self._stamp = engine, str(found)
        return self._stamp[1]

    def keep_analyses(self) -> None:
        """Keep the analyses of recent actions, for a process that decides many."""
        self._live.keep_analyses()

    def find_baseline(self, agent_id: str | None, fields: tuple[str, ...]) -> Baseline | None:
        """Return the part of an agent's baseline that policies use; None if the store cannot be read now."""
        if self._spool.is_backing_off:
            return None
        if self._baselines is None:
            from interlock.gate.baselines import Baselines  # few policies use them

            self._baselines = Baselines()
        return self._baselines.find(self._journal, agent_id, fields)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The documents that the configuration in force was loaded from."""
        return self._live.layers

    @property
    def error(self) -> ConfigError | None:
        """Why the newest configuration is not in force; None if it is."""
        return self._live.error

    @property
    def register(self) -> ApprovalRepository:
        """The requests for approval; imported on use, since most actions need none."""
        from interlock.approval.repository import ApprovalRepository

        with self._opening:
            if self._register is None:
                self._register = ApprovalRepository(self._journal, self.approval_rules)
            return self._register

    @functools.cached_property
    def policies(self) -> PolicyRepository:
        """The policies in the store; imported on use, since most stores have none."""
        from interlock.policies.repository import PolicyRepository

        return PolicyRepository(self._journal)

    def revision(self) -> int | None:
        """Return a number that grows when other processes may have changed policies; None if a reload is due first."""
        foreign = self._journal.foreign.count
        if self._foreign != foreign or self._spool.is_backing_off:
            return None
        if self._is_check_due() and self._live.is_stale:
            self.expire()  # the next `refresh` reads the files
            return None
        return foreign

    def expire(self) -> None:
        """Make the next `refresh` check the files, however recent the last check is."""
        self._looked = 0.0

    def refresh(self) -> None:
        """Activate the newest configuration that loads without errors."""
        changed = self._refresh_policies()
        if self._is_check_due() and self._live.refresh():
            self.apply_approval_rules()
            mask_classes(self.config.audit.mask)
            changed = True
        if changed:
            self._record()

    def apply_approval_rules(self) -> None:
        """Apply the approval rules of the configuration, or defaults that depend on the number of people."""
        rules = approval_rules(self.config, counts_people=self.counts_people)
        with self._opening:
            self.approval_rules = rules
            if self._register is not None:
                self._register.rules = rules

    def reload_policies(self) -> None:
        """Reload the policies after this process has written some."""
        self._load_policies()
        self._record()

    def record_start(self, entry: Entry) -> None:
        """Load the policies, and record a gate's start together with the configuration that it starts with."""
        try:
            self._load_policies()
        except TamperedError:
            self._journal.commit(lambda transaction: transaction.append(entry))
            raise
        self._record(entry)

    def _refresh_policies(self) -> bool:
        """Reload the policies if another process has written; return whether they changed."""
        if self._foreign == self._journal.foreign.count or self._spool.is_backing_off:
            return False
        try:
            return self._load_policies()
        except TamperedError:
            raise
        except StoreError:
            return False  # the next decision tries again

    def _load_policies(self) -> bool:
        """Read the policies of the store; return whether there were new ones."""
        with self._loading:  # an older reading must not replace a newer one
            foreign = self._journal.foreign.count
            newest = self._newest_record()  # before they are read: one written meanwhile is found the next time
            changed = newest != self._newest_policy
            if changed:
                self._live.use_stored(self.policies.load())
            self._journal.foreign.note_policy(newest)
            self._newest_policy, self._foreign = newest, foreign
            return changed

    def _newest_record(self) -> int:
        """Return the number of the newest record about a policy, which grows with every change."""
        with self._journal.database.read() as connection:
            return int(connection.value("SELECT max(seq) FROM interlock_policies") or 0)

    def _is_check_due(self) -> bool:
        """Whether the files are due for a check. Callers that arrive at the same time share one check."""
        moment = time.monotonic()
        due = moment - self._looked > LOOK_SECONDS
        if due:
            self._looked = moment
        return due

    def _record(self, *first: Entry) -> None:
        config, engine = self._live.config, self._live.engine

        def operation(transaction: Transaction) -> None:
            for entry in first:
                transaction.append(entry)
            self.stops.read(transaction)
            record_configuration(transaction, config, engine.policies, machine_name())

        self._journal.commit(operation)
