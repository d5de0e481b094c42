"""How fast Interlock decides: each figure beside a bare parse and fourteen regexes, measured in the same run.

Run it with `make bench`. Machines differ and are noisy, so read the ratios; the microseconds are this machine's.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from bench import hooks, long_runs, loops, peers, ratios, recording, replay, serving
from interlock import Action, Condition, Engine, Policy, Verdict
from interlock.analyse.shell.parsing.grammar import ShellSource

WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}

COMMANDS = [
    "ls -la src",
    "git status",
    "git diff --stat HEAD~1",
    "cat README.md | head -n 20",
    "grep -rn 'TODO' src --include='*.py'",
    "npm run build",
    "python -m pytest -q tests/test_models.py",
    "git add -A && git commit -m 'Fix the parser'",
    "rm -rf node_modules dist",
    "find . -name '*.py' | xargs wc -l",
    "cd frontend && npm install && npm test",
    "curl -s https://api.example.com/v1/items | jq '.[0]'",
    "docker compose up -d",
    "sed -i 's/foo/bar/g' config.yaml",
    "mkdir -p build/out && cp -r assets build/out/",
    "pip install -r requirements.txt",
    "git push origin feature/login",
    'for f in *.txt; do wc -l "$f"; done',
    "sudo systemctl restart nginx",
    'echo "done" > status.txt',
]

# The fourteen patterns that a list of regular expressions would use for the same job.
PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"rm\s+-rf?\s+",
        r"DROP\s+(DATABASE|TABLE|SCHEMA)",
        r"(mkfs|format|fdisk)",
        r"(os\.remove|os\.unlink|shutil\.rmtree|Path.*\.unlink)",
        r"git\s+push\s+.*(-f|--force)",
        r"git\s+reset\s+--hard",
        r"sudo\s+",
        r"(requests\.(post|put|delete|patch)|urllib|httpx\.(post|put|delete))",
        r"(open\(.*['\"]w|\.write\(|Path.*\.write_)",
        r"(subprocess\.(run|call|Popen)|os\.system)",
        r"git\s+commit",
        r"pip\s+install",
        r"(open\(.*['\"]r|\.read\(|Path.*\.read_)",
        r"print\(",
    )
]


def policies(count: int) -> list[Policy]:
    """Return policies as a team would have them: most name a tool or an environment, a few are expressions."""
    made = []
    for number in range(count):
        if number % 20 == 0:
            condition, when = Condition("inputPayload.env", "equals", f"e{number}"), None
        elif number % 20 == 1:
            condition, when = Condition("toolName", "equals", f"tool{number}"), 'metadata.team == "x"'
        elif number % 4 == 0:
            condition, when = Condition("environment", "equals", f"stage{number}"), None
        else:
            condition, when = Condition("toolName", "in", [f"tool{number}", f"other{number}"]), None
        made.append(Policy(f"p{number}", conditions=(condition,), when=when, action=Verdict.WARN))
    return made


def times(function: Callable[[], object], rounds: int) -> list[float]:
    """Return how long each of many calls took, in microseconds."""
    for _ in range(max(rounds // 10, 20)):
        function()
    taken = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        function()
        taken.append((time.perf_counter_ns() - start) / 1_000)
    return taken


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def decide_all(engine: Engine, rounds: int = 300) -> list[float]:
    """Return the times of deciding each typical command."""
    taken: list[float] = []
    for command in COMMANDS:
        action = Action.shell(command, **WHERE)
        taken += times(lambda action=action: engine.decide(action), rounds)  # type: ignore[misc]
    return taken


def row(name: str, value: float, unit: str, against: str = "", goal: str = "") -> None:
    print(f"  {name:<46}{value:>9.1f} {unit:<3} {against:<34} {goal}")


def shell() -> None:
    parse, match = [], []
    for command in COMMANDS:
        parse += times(lambda command=command: ShellSource(command).parse(), 300)  # type: ignore[misc]
        match += times(lambda command=command: [p.search(command) for p in PATTERNS], 300)  # type: ignore[misc]
    decided = decide_all(Engine())
    p50, p99 = percentile(decided, 0.5), percentile(decided, 0.99)
    bare, regexes = percentile(parse, 0.5), percentile(match, 0.5)
    print("\n  typical shell commands")
    row("a bare parse, p50", bare, "µs")
    row("fourteen regexes, p50", regexes, "µs")
    row("Engine.decide, p50", p50, "µs", f"{p50 / bare:.1f} × parse, {p50 / regexes:.1f} × regexes", "goal 60")
    row("Engine.decide, p99", p99, "µs", f"{p99 / p50:.1f} × its p50", "goal 400")
    others(p50)


def others(ours: float) -> None:
    """Print how long other guards take for the same commands."""
    for name, taken in peers.measure(COMMANDS).items():
        if isinstance(taken, str):
            print(f"  {name}, p50{'':<36}– {taken}")
        else:
            theirs = percentile(taken, 0.5)
            row(f"{name}, p50", theirs, "µs", f"{theirs / ours:.1f} × Engine.decide")


def with_policies() -> None:
    none = percentile(decide_all(Engine([]), 200), 0.5)
    many = percentile(decide_all(Engine(policies(200)), 200), 0.5)
    print("\n  policies")
    row("no policy, p50", none, "µs")
    row("200 policies, p50", many, "µs", f"{many / none:.2f} × none", "goal 2 ×")


def growth() -> None:
    line = "git add -A && git commit -m 'x' && npm run build | tee out.log\n"
    code = "value = compute(1, 2)\nprint(f'{value}')\n"
    query = "SELECT a, b FROM t WHERE id = 1;\n"
    engine = Engine()
    print("\n  ten times as long")
    for name, make, unit, base in (
        ("shell", Action.shell, line, 10),
        ("Python", Action.python, code, 25),
        ("SQL", Action.sql, query, 5),
    ):
        short, long = make(unit * base, **WHERE), make(unit * base * 10, **WHERE)
        first = min(times(lambda short=short: engine.decide(short), 30))  # type: ignore[misc]
        second = min(times(lambda long=long: engine.decide(long), 10))  # type: ignore[misc]
        row(
            f"{name}, {len(unit) * base} → {len(unit) * base * 10} characters",
            second,
            "µs",
            f"{second / first:.1f} × the short one",
            "goal 12 ×",
        )


HOSTILE = {
    "brackets": "(" * 1_000_000,
    "quotes": '"' * 1_000_000,
    "braces": "{a,b}" * 200_000,
    "pipes": "a|" * 500_000,
    "here-document": "cat <<EOF\n" + "x" * 1_000_000 + "\nEOF\n",
    "semicolons, just under the cap": "a;" * 31_000,
}


def hostile() -> None:
    engine = Engine()
    print("\n  hostile input")
    for name, text in HOSTILE.items():
        start = time.perf_counter()
        decision = engine.decide(Action.shell(text))
        row(
            f"{name}, {len(text)} characters",
            (time.perf_counter() - start) * 1_000,
            "ms",
            f"coverage {decision.assessment.coverage}",
            "goal 1000",
        )


IMPORT = """
import sys, time
start = time.perf_counter()
import interlock
taken = time.perf_counter() - start
heavy = ("sqlglot", "cyclopts", "rich", "tree_sitter", "re2", "cel_expr_python")
late = [name for name in heavy if name in sys.modules]
print(taken * 1000, ",".join(late))
"""


def importing() -> None:
    def once(code: str) -> tuple[float, str]:
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        taken, _, late = out.strip().partition(" ")
        return float(taken), late

    runs = [once(IMPORT) for _ in range(9)]
    typing = [once(IMPORT.replace("import interlock", "import msgspec")) for _ in range(9)]
    ours, theirs = min(taken for taken, _ in runs), min(taken for taken, _ in typing)
    print("\n  importing")
    row("import msgspec", theirs, "ms")
    row("import interlock", ours, "ms", f"{ours / theirs:.1f} × msgspec alone", "goal 60")
    print(f"  imported along the way: {runs[0][1] or 'none of sqlglot, cyclopts, rich, tree_sitter, re2, cel'}")


def main() -> None:
    ratios.measure()
    for part in (shell, with_policies, growth, hostile, importing):
        part()
    for part_of_store in (
        recording.recording,
        recording.reading,
        recording.proving,
        serving.evaluating,
        loops.late_loops,
        loops.outcomes,
        hooks.answering,
    ):
        part_of_store(row)
    print("\n  a long run")
    long_runs.measure_long_run(lambda line: print(f"  {line}"))
    print()
    replay.run()
    print()


if __name__ == "__main__":
    main()
