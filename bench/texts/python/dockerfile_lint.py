"""Check Dockerfiles for common mistakes."""
import re
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Instruction:
    number: int
    name: str
    value: str


@dataclass
class Problem:
    path: Path
    number: int
    rule: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.number}: {self.rule}: {self.text}"


CHECKS = []


def check(rule):
    def register(function):
        CHECKS.append((rule, function))
        return function

    return register


def parse(text):
    found, buffer, start = [], "", 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if not buffer:
            start = number
        buffer += " " + stripped.rstrip("\\").strip()
        if stripped.endswith("\\"):
            continue
        name, _, value = buffer.strip().partition(" ")
        found.append(Instruction(start, name.upper(), value))
        buffer = ""
    return found


def named(instructions, *names):
    return [one for one in instructions if one.name in names]


@check("pinned-base")
def pinned_base(instructions):
    for one in named(instructions, "FROM"):
        image = one.value.split()[0]
        if ":" not in image and "@" not in image and image != "scratch":
            yield one, f"{image} has no tag"
        elif image.endswith(":latest"):
            yield one, f"{image} is not pinned"


@check("apt-lists")
def apt_lists(instructions):
    for one in named(instructions, "RUN"):
        if "apt-get install" in one.value and "/var/lib/apt/lists" not in one.value:
            yield one, "package lists are kept in the layer"


@check("pip-cache")
def pip_cache(instructions):
    for one in named(instructions, "RUN"):
        if re.search(r"pip3? install", one.value) and "--no-cache-dir" not in one.value:
            yield one, "pip keeps its cache"


@check("user")
def runs_as_root(instructions):
    if not named(instructions, "USER"):
        yield instructions[-1], "no USER: runs as root"


@check("copy-before-install")
def copy_before_install(instructions):
    copied = None
    for one in instructions:
        if one.name in ("COPY", "ADD") and one.value.startswith(". "):
            copied = one
        elif one.name == "RUN" and copied and "install" in one.value:
            yield copied, "everything is copied before dependencies are installed"
            copied = None


@check("add")
def prefers_copy(instructions):
    for one in named(instructions, "ADD"):
        if not one.value.startswith(("http", "--")) and ".tar" not in one.value:
            yield one, "use COPY"


def lint(path):
    instructions = parse(path.read_text())
    if not instructions:
        return
    for rule, function in CHECKS:
        for instruction, text in function(instructions):
            yield Problem(path, instruction.number, rule, text)


def main():
    problems = [problem for name in sys.argv[1:] for problem in lint(Path(name))]
    for problem in sorted(problems, key=lambda one: (str(one.path), one.number)):
        print(problem)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
