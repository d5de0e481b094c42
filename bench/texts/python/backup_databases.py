#!/usr/bin/env python3
import datetime
import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

BACKUPS = Path("/srv/backups/postgres")
KEEP_DAYS = 14
DATABASES = ["shop", "billing", "analytics"]


def dump(database, folder):
    target = folder / f"{database}-{datetime.date.today():%Y%m%d}.sql.gz"
    command = ["pg_dump", "--no-owner", "--format=plain", database]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process, gzip.open(target, "wb") as out:
        shutil.copyfileobj(process.stdout, out)
    if process.returncode != 0:
        target.unlink(missing_ok=True)
        raise RuntimeError(f"pg_dump {database}: exit code {process.returncode}")
    return target


def verify(path):
    with gzip.open(path, "rt") as handle:
        for line in handle:
            if "PostgreSQL database dump complete" in line:
                return True
    return False


def prune(folder):
    limit = datetime.datetime.now() - datetime.timedelta(days=KEEP_DAYS)
    for path in folder.glob("*.sql.gz"):
        if datetime.datetime.fromtimestamp(path.stat().st_mtime) < limit:
            print("removing", path)
            path.unlink()


def free_gigabytes(folder):
    return shutil.disk_usage(folder).free / 2**30


def main():
    BACKUPS.mkdir(parents=True, exist_ok=True)
    if free_gigabytes(BACKUPS) < 5:
        print("less than 5 GB left", file=sys.stderr)
        return 2
    failed = []
    for database in DATABASES:
        try:
            path = dump(database, BACKUPS)
            if not verify(path):
                raise RuntimeError("dump is incomplete")
            print(f"{database}: {os.path.getsize(path) / 1e6:.1f} MB")
        except (OSError, RuntimeError) as error:
            failed.append(database)
            print(f"{database}: {error}", file=sys.stderr)
    prune(BACKUPS)
    return 1 if failed else 0


sys.exit(main())
