"""A proxy in front of PostgreSQL whose delay can be changed while it runs."""

from __future__ import annotations

import asyncio
import threading
from urllib.parse import parse_qs, quote, urlsplit

PIECE = 65_536


class SlowProxy:
    """Passes connections on to a PostgreSQL server; each piece of data waits for `delay` seconds, in order."""

    def __init__(self, store: str) -> None:
        self.delay = 0.0
        self._target = urlsplit(store)
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._accept, "127.0.0.1", 0))
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The URL of the store through the proxy."""
        user = quote(self._target.username or "postgres")
        password = f":{quote(self._target.password)}" if self._target.password else ""
        port = self._server.sockets[0].getsockname()[1]
        return f"postgresql://{user}{password}@127.0.0.1:{port}{self._target.path}"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_database, to_database = await self._connect()
        except OSError:  # the database is restarting
            writer.close()
            return
        await asyncio.gather(self._pass_on(reader, to_database), self._pass_on(from_database, writer))

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        folder = parse_qs(self._target.query).get("host", [""])[0]
        port = self._target.port or 5432
        if folder:
            return await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.{port}")
        return await asyncio.open_connection(self._target.hostname, port)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(PIECE):
                if self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass  # one of the two has gone, so the other side is closed
        finally:
            writer.close()

    def stop(self) -> None:
        """Close all connections."""
        asyncio.run_coroutine_threadsafe(self._shut_down(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _shut_down(self) -> None:
        self._server.close()
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
