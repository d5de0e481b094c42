#!/usr/bin/env python3
"""Rename photos by the date in their EXIF data, and sort them into folders by month."""
import argparse
import shutil
from datetime import datetime
from pathlib import Path

from PIL import Image

EXIF_DATE = 36867
SUFFIXES = {".jpg", ".jpeg", ".png", ".heic"}


def exif_date(path):
    try:
        with Image.open(path) as image:
            raw = image.getexif().get_ifd(0x8769).get(EXIF_DATE)
    except OSError:
        return None
    if not raw:
        return None
    return datetime.strptime(raw, "%Y:%m:%d %H:%M:%S")


def file_date(path):
    return datetime.fromtimestamp(path.stat().st_mtime)


def target_for(path, root):
    taken = exif_date(path) or file_date(path)
    folder = root / taken.strftime("%Y-%m")
    name = taken.strftime("%Y%m%d_%H%M%S")
    candidate = folder / f"{name}{path.suffix.lower()}"
    number = 1
    while candidate.exists():
        candidate = folder / f"{name}_{number}{path.suffix.lower()}"
        number += 1
    return candidate


def photos(folder):
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES:
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--copy", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args()
    action = shutil.copy2 if args.copy else shutil.move
    count = 0
    for path in photos(args.source):
        target = target_for(path, args.target)
        print(f"{path} -> {target}")
        if not args.dry_run:
            target.parent.mkdir(parents=True, exist_ok=True)
            action(str(path), str(target))
        count += 1
    print(f"{count} photos")


if __name__ == "__main__":
    main()
