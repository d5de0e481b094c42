"""Fuzzing of every analyser: mutated examples go in, a decision must come out. Run it with `make fuzz SECONDS=60`.

An input that makes the engine do something new (a set of effects and reasons not seen before) is kept and mutated
further. The work is done in a child process, so that even a crash of native code names the input that made it.
"""

from __future__ import annotations

import argparse
import json
import math
import mmap
import multiprocessing
import random
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from grammar import SEEDS, mutate

from interlock import Action, Engine
from interlock.analyse.code import FAULT

MAX_INPUT = 60_000
MAX_KEPT = 4_000
MAX_SECONDS = 5.0  # of the processor, for one decision: far past any goal, and a busy machine does not decide
MAX_GROWTH_MB = 300
CRASH_BYTES = 8 * MAX_INPUT
WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}


class Found(NamedTuple):
    """Something that must not happen, and the input that made it."""

    what: str
    kind: str
    text: str


def action_of(kind: str, text: str) -> Action:
    """Return the action that an input of a kind stands for."""
    if kind == "tool":
        name, _, payload = text.partition("\n")
        return Action(
            tool_name=name or "x", input_payload={"path": payload, "content": payload, "input": text}, **WHERE
        )
    if kind in ("shell", "python", "sql"):
        makers = {"shell": Action.shell, "python": Action.python, "sql": Action.sql}
        return makers[kind](text, **WHERE)
    return Action(tool_name="execute_code", input_payload={"language": kind, "code": text}, **WHERE)


def check(engine: Engine, kind: str, text: str) -> tuple[list[Found], Any]:
    """Decide an input twice; return what is wrong, and what was seen."""
    start = time.process_time()
    try:
        action = action_of(kind, text)
        decision = engine.decide(action)
        wire = json.dumps(decision.to_wire(), sort_keys=True)
        again = json.dumps(engine.decide(action).to_wire(), sort_keys=True)
    except Exception as error:
        return [Found(f"raised {type(error).__name__}: {error}", kind, text)], None
    found = []
    coverage = decision.assessment.coverage
    if any(FAULT in why for why in coverage.opaque):
        found.append(Found(f"a fault inside: {coverage.opaque}", kind, text))
    if wire != again:
        found.append(Found("two answers to the same input", kind, text))
    if time.process_time() - start > 2 * MAX_SECONDS:
        found.append(Found(f"took {time.process_time() - start:.1f} s", kind, text))
    effects = decision.assessment.effects
    seen = (kind, frozenset((e.kind, e.flags, e.via[-1:]) for e in effects), frozenset(o[:40] for o in coverage.opaque))
    return found, seen


def work(seconds: float, inputs: float, seed: int, crash: str, done: Any, results: Any) -> None:
    """Fuzz for a while, or until so many inputs were tried; send what was found, how many, and how far memory grew."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever stops the run stops the parent, which ends this one
    chance, engine = random.Random(seed), Engine()
    with open(crash, "r+b") as handle, mmap.mmap(handle.fileno(), CRASH_BYTES) as last:
        pool = {kind: list(texts) for kind, texts in SEEDS.items()}
        known: set[Any] = set()
        found: list[Found] = []
        tried, grown_from = 0, 0
        end = time.monotonic() + seconds
        while time.monotonic() < end and tried < inputs and len(found) < 20:
            kind = chance.choice(list(pool))
            text = mutate(chance, kind, pool[kind])[:MAX_INPUT]
            note = f"{kind}\n{text}".encode("utf-8", "surrogatepass")[: CRASH_BYTES - 4]
            last[: 4 + len(note)] = len(note).to_bytes(4, "big") + note
            wrong, seen = check(engine, kind, text)
            found += wrong
            tried += 1
            done.value = tried
            if seen is not None and seen not in known and len(known) < MAX_KEPT:
                known.add(seen)
                pool[kind].append(text)
            if tried == 2_000:
                grown_from = memory()
        growth = memory() - grown_from if grown_from else 0
    if growth > MAX_GROWTH_MB:
        found.append(Found(f"memory grew by {growth} MB", "all", ""))
    results.put((found, tried, len(known), growth))


def memory() -> int:
    """Return the largest memory that this process has had, in megabytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // (1024 * 1024 if sys.platform == "darwin" else 1024)


def fuzz(seconds: float, inputs: float, seed: int) -> tuple[list[Found], int, int, int]:
    """Fuzz in a child process and return what came out; a child that dies is a finding too."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    with tempfile.NamedTemporaryFile() as crash:
        crash.truncate(CRASH_BYTES)
        done = context.Value("q", 0)
        child = context.Process(target=work, args=(seconds, inputs, seed, crash.name, done, results), daemon=True)
        child.start()
        started = time.monotonic()
        while child.is_alive() and results.empty():
            child.join(0.2)
            if sys.stderr.isatty():
                print(
                    f"\r{time.monotonic() - started:.0f} s, {done.value:,} inputs", end="", file=sys.stderr, flush=True
                )
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        if results.empty():
            child.join()
            length = int.from_bytes(Path(crash.name).read_bytes()[:4], "big")
            kind, _, text = Path(crash.name).read_bytes()[4 : 4 + length].decode("utf-8", "replace").partition("\n")
            return [Found(f"the process died with {child.exitcode}", kind, text)], 0, 0, 0
        answer: tuple[list[Found], int, int, int] = results.get()
        child.join()
        return answer


def main() -> int:
    """Fuzz for the time that was asked for, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=None, help="60, unless a number of inputs is given")
    parser.add_argument("--inputs", type=int, default=None, help="so many, however long they take")
    parser.add_argument("--seed", type=int, default=None, help="the same seed tries the same inputs again")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1_000_000)
    seconds = options.seconds or (60 if options.inputs is None else math.inf)
    inputs = math.inf if options.inputs is None else options.inputs
    print(
        f"fuzzing for {f'{seconds:g} s' if options.inputs is None else f'{inputs:,} inputs'}, seed {seed}", flush=True
    )
    try:
        found, tried, kept, growth = fuzz(seconds, inputs, seed)
    except KeyboardInterrupt:
        print(f"stopped; `--seed {seed}` tries the same inputs again")
        return 130
    print(f"{tried:,} inputs, {kept:,} behaviours, memory +{growth} MB, {len(found)} findings")
    for one in found:
        print(f"\n{one.what}\n  {one.kind}: {one.text[:2_000]!r}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
