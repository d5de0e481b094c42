"""Bring old configuration files to the current format."""
import copy
import shutil
import sys
from pathlib import Path

import yaml

CURRENT = 4


class MigrationError(Exception):
    pass


def step(version):
    def register(function):
        STEPS[version] = function
        return function

    return register


STEPS = {}


@step(1)
def rename_database(config):
    config["database"] = config.pop("db", {})
    return config


@step(2)
def split_hosts(config):
    hosts = config.get("hosts", "")
    if isinstance(hosts, str):
        config["hosts"] = [host.strip() for host in hosts.split(",") if host.strip()]
    return config


@step(3)
def nest_logging(config):
    config["logging"] = {
        "level": config.pop("log_level", "info").lower(),
        "file": config.pop("log_file", None),
        "rotate": bool(config.pop("log_rotate", False)),
    }
    return config


def migrate(config):
    version = config.get("version", 1)
    if version > CURRENT:
        raise MigrationError(f"version {version} is newer than {CURRENT}")
    config = copy.deepcopy(config)
    while version < CURRENT:
        if version not in STEPS:
            raise MigrationError(f"no step from version {version}")
        config = STEPS[version](config)
        version += 1
        config["version"] = version
    return config


def validate(config):
    problems = []
    if not isinstance(config.get("database"), dict):
        problems.append("`database` must be a mapping")
    for host in config.get("hosts", []):
        if ":" not in host:
            problems.append(f"host {host!r} has no port")
    if config["logging"]["level"] not in ("debug", "info", "warning", "error"):
        problems.append("unknown log level")
    return problems


def process(path):
    before = yaml.safe_load(path.read_text()) or {}
    after = migrate(before)
    problems = validate(after)
    if problems:
        raise MigrationError("; ".join(problems))
    if after == before:
        return False
    shutil.copy2(path, path.with_suffix(path.suffix + ".bak"))
    path.write_text(yaml.safe_dump(after, sort_keys=False))
    return True


def main():
    status = 0
    for name in sys.argv[1:]:
        try:
            changed = process(Path(name))
            print(f"{name}: {'migrated' if changed else 'up to date'}")
        except (MigrationError, yaml.YAMLError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
