"""A small make: tasks with dependencies, timestamps and parallel runs."""
import argparse
import concurrent.futures
import glob
import os
import shlex
import subprocess
import sys
import threading
import time
import tomllib


class TaskError(Exception):
    pass


class Task:
    def __init__(self, name, run=(), needs=(), inputs=(), outputs=(), env=None, description=""):
        self.name = name
        self.run = [run] if isinstance(run, str) else list(run)
        self.needs = list(needs)
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.env = dict(env or {})
        self.description = description

    def expand(self, patterns):
        return [path for pattern in patterns for path in sorted(glob.glob(pattern, recursive=True))]

    def newest(self, paths):
        return max((os.path.getmtime(path) for path in paths), default=0.0)

    def is_fresh(self):
        if not self.outputs:
            return False
        made = self.expand(self.outputs)
        if len(made) < len(self.outputs):
            return False
        oldest = min(os.path.getmtime(path) for path in made)
        return self.newest(self.expand(self.inputs)) <= oldest


class Printer:
    COLORS = {"ok": 32, "failed": 31, "fresh": 36, "start": 33}

    def __init__(self, color):
        self.color = color
        self.lock = threading.Lock()

    def say(self, kind, text):
        with self.lock:
            if self.color:
                text = f"\033[{self.COLORS.get(kind, 0)}m{text}\033[0m"
            print(text, flush=True)


class Runner:
    def __init__(self, tasks, printer, jobs=4, dry=False, force=False):
        self.tasks = tasks
        self.printer = printer
        self.jobs = jobs
        self.dry = dry
        self.force = force
        self.done = {}
        self.times = {}

    def order(self, names):
        found, visiting = [], set()

        def visit(name, trail):
            if name in found:
                return
            if name in visiting:
                raise TaskError("circular: " + " -> ".join([*trail, name]))
            if name not in self.tasks:
                raise TaskError(f"no task {name!r}")
            visiting.add(name)
            for other in self.tasks[name].needs:
                visit(other, [*trail, name])
            visiting.discard(name)
            found.append(name)

        for name in names:
            visit(name, [])
        return found

    def execute(self, task):
        if task.is_fresh() and not self.force:
            self.printer.say("fresh", f"= {task.name}")
            return True
        self.printer.say("start", f"> {task.name}")
        started = time.perf_counter()
        for line in task.run:
            if not self.command(task, line):
                self.printer.say("failed", f"! {task.name}: {line}")
                return False
        self.times[task.name] = time.perf_counter() - started
        self.printer.say("ok", f"+ {task.name} ({self.times[task.name]:.1f}s)")
        return True

    def command(self, task, line):
        if self.dry:
            self.printer.say("", f"    {line}")
            return True
        environment = {**os.environ, **task.env}
        return subprocess.run(shlex.split(line), env=environment).returncode == 0

    def ready(self, pending):
        return [name for name in pending if all(self.done.get(other) for other in self.tasks[name].needs)]

    def run(self, names):
        pending = self.order(names)
        running = {}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            while pending or running:
                for name in self.ready(pending):
                    pending.remove(name)
                    running[pool.submit(self.execute, self.tasks[name])] = name
                if not running:
                    break
                finished, _ = concurrent.futures.wait(running, return_when="FIRST_COMPLETED")
                for future in finished:
                    name = running.pop(future)
                    self.done[name] = future.result()
                    if not self.done[name]:
                        pending = [other for other in pending if name not in self.tasks[other].needs]
        return all(self.done.values())


def load(path):
    with open(path, "rb") as handle:
        data = tomllib.load(handle)
    defaults = data.get("defaults", {})
    return {name: Task(name, **{**defaults, **values}) for name, values in data.get("tasks", {}).items()}


def list_tasks(tasks):
    width = max(map(len, tasks), default=0)
    for name, task in sorted(tasks.items()):
        print(f"{name:<{width}}  {task.description}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("-f", "--file", default="tasks.toml")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-n", "--dry-run", action="store_true")
    parser.add_argument("--force", action="store_true")
    args = parser.parse_args()
    tasks = load(args.file)
    if not args.tasks:
        list_tasks(tasks)
        return 0
    runner = Runner(tasks, Printer(sys.stdout.isatty()), args.jobs, args.dry_run, args.force)
    try:
        return 0 if runner.run(args.tasks) else 1
    except TaskError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
