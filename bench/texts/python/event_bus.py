import asyncio
import itertools
import logging
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable

logger = logging.getLogger(__name__)
Handler = Callable[["Event"], Awaitable[None]]


@dataclass
class Event:
    name: str
    payload: dict[str, Any] = field(default_factory=dict)
    created: float = field(default_factory=time.time)
    id: int = field(default_factory=itertools.count(1).__next__)

    def age(self):
        return time.time() - self.created


class Retry(Exception):
    def __init__(self, delay=1.0):
        super().__init__(f"retry in {delay}")
        self.delay = delay


class Bus:
    def __init__(self, workers=4, max_attempts=3):
        self.queue = asyncio.PriorityQueue()
        self.handlers = defaultdict(list)
        self.workers = workers
        self.max_attempts = max_attempts
        self.dead = []
        self.counts = defaultdict(int)
        self._tasks = []

    def on(self, *names):
        def register(handler):
            for name in names:
                self.handlers[name].append(handler)
            return handler

        return register

    async def publish(self, name, priority=5, **payload):
        event = Event(name, payload)
        await self.queue.put((priority, event.id, 1, event))
        self.counts["published"] += 1
        return event

    async def start(self):
        for number in range(self.workers):
            self._tasks.append(asyncio.create_task(self._work(number), name=f"bus-{number}"))

    async def stop(self):
        await self.queue.join()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    async def _work(self, number):
        while True:
            priority, _, attempt, event = await self.queue.get()
            try:
                await self._dispatch(event)
                self.counts["handled"] += 1
            except Retry as retry:
                await self._again(priority, attempt, event, retry.delay)
            except Exception:
                logger.exception("worker %d: %s failed", number, event.name)
                await self._again(priority, attempt, event, 2 ** attempt)
            finally:
                self.queue.task_done()

    async def _dispatch(self, event):
        handlers = self._matching(event.name)
        if not handlers:
            logger.warning("nobody handles %s", event.name)
        for handler in handlers:
            await handler(event)

    def _matching(self, name):
        found = list(self.handlers.get(name, ()))
        prefix, _, _ = name.partition(".")
        found += self.handlers.get(f"{prefix}.*", ())
        return found

    async def _again(self, priority, attempt, event, delay):
        if attempt >= self.max_attempts:
            self.dead.append(event)
            self.counts["dead"] += 1
            return
        await asyncio.sleep(delay)
        await self.queue.put((priority + 1, event.id, attempt + 1, event))
        self.counts["retried"] += 1

    def report(self):
        return ", ".join(f"{name}={count}" for name, count in sorted(self.counts.items()))


bus = Bus()


@bus.on("order.created", "order.changed")
async def index_order(event):
    await asyncio.sleep(0.01)
    logger.info("indexed order %s", event.payload.get("order"))


@bus.on("order.*")
async def audit(event):
    logger.info("%s after %.3fs", event.name, event.age())


@bus.on("mail.requested")
async def send_mail(event):
    if event.payload["to"].endswith("@slow.example"):
        raise Retry(0.5)
    logger.info("mail to %s", event.payload["to"])


async def main():
    await bus.start()
    for number in range(20):
        await bus.publish("order.created", order=number)
        await bus.publish("mail.requested", priority=9, to=f"user{number}@example.com")
    await bus.stop()
    print(bus.report())


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
