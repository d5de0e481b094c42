import itertools
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PYTHONS = ["3.11", "3.12", "3.13"]
EXTRAS = ["", "postgres", "redis"]
ROOT = Path(__file__).resolve().parent


def run(command, **options):
    print("+", " ".join(command), flush=True)
    return subprocess.run(command, **options).returncode


def interpreter(version):
    return f"python{version}"


def make_environment(version, folder):
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        venv.create(folder, with_pip=True)
        return True
    return run([interpreter(version), "-m", "venv", str(folder)]) == 0


def python_in(folder):
    return str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")


def install(folder, extra):
    target = f"{ROOT}[{extra},test]" if extra else f"{ROOT}[test]"
    return run([python_in(folder), "-m", "pip", "install", "-q", target]) == 0


def test(folder, arguments):
    return run([python_in(folder), "-m", "pytest", "-q", *arguments], cwd=ROOT) == 0


def one(version, extra, arguments):
    with tempfile.TemporaryDirectory(prefix="matrix-") as name:
        folder = Path(name) / "env"
        for label, step in (
            ("venv", lambda: make_environment(version, folder)),
            ("install", lambda: install(folder, extra)),
            ("test", lambda: test(folder, arguments)),
        ):
            if not step():
                return label
    return None


def main():
    failures = []
    for version, extra in itertools.product(PYTHONS, EXTRAS):
        failed = one(version, extra, sys.argv[1:])
        label = f"{version} {extra or 'plain'}"
        print(f"== {label}: {'ok' if failed is None else failed + ' failed'}")
        if failed:
            failures.append(label)
    return len(failures)


if __name__ == "__main__":
    sys.exit(main())
