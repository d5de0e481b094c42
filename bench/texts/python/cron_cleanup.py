#!/usr/bin/env python3
"""Remove old temporary files and caches; meant to be run from cron."""
import os
import shutil
import sys
import time

RULES = [
    ("/tmp/render-cache", 3),
    ("/var/tmp/uploads", 7),
    (os.path.expanduser("~/.cache/thumbnails"), 30),
    ("logs", 60),
]
DAY = 86_400


def age(path):
    return (time.time() - os.lstat(path).st_mtime) / DAY


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            try:
                total += os.path.getsize(os.path.join(folder, name))
            except OSError:
                pass
    return total


def remove(path, dry):
    if dry:
        return
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.remove(path)


def clean(folder, days, dry):
    freed = count = 0
    if not os.path.isdir(folder):
        return 0, 0
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if age(path) > days:
            freed += size(path)
            count += 1
            print(("would remove " if dry else "removing ") + path)
            remove(path, dry)
    return count, freed


def main():
    dry = "--dry-run" in sys.argv
    total = 0
    for folder, days in RULES:
        count, freed = clean(folder, days, dry)
        total += freed
        print(f"{folder}: {count} entries, {freed / 1e6:.1f} MB")
    print(f"total {total / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
