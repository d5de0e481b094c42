"""One-way sync of a folder, with checksums."""
import argparse
import fnmatch
import hashlib
import os
import shutil

IGNORED = ["*.tmp", "*.swp", ".DS_Store", "__pycache__"]


def digest(path, size=1 << 20):
    found = hashlib.blake2b()
    with open(path, "rb") as handle:
        while chunk := handle.read(size):
            found.update(chunk)
    return found.hexdigest()


def ignored(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def scan(root, patterns):
    found = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not ignored(name, patterns)]
        for name in files:
            if ignored(name, patterns):
                continue
            path = os.path.join(folder, name)
            found[os.path.relpath(path, root)] = os.stat(path)
    return found


def differs(source, target, before, after):
    if before.st_size != after.st_size:
        return True
    if int(before.st_mtime) == int(after.st_mtime):
        return False
    return digest(source) != digest(target)


def plan(source, target, patterns):
    here, there = scan(source, patterns), scan(target, patterns)
    copy = []
    for name, stat in here.items():
        other = there.get(name)
        if other is None or differs(os.path.join(source, name), os.path.join(target, name), stat, other):
            copy.append(name)
    remove = [name for name in there if name not in here]
    return sorted(copy), sorted(remove)


def copy_file(source, target, name):
    destination = os.path.join(target, name)
    os.makedirs(os.path.dirname(destination), exist_ok=True)
    shutil.copy2(os.path.join(source, name), destination)


def remove_file(target, name):
    os.remove(os.path.join(target, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--delete", action="store_true")
    parser.add_argument("-n", "--dry-run", action="store_true")
    parser.add_argument("--ignore", action="append", default=list(IGNORED))
    args = parser.parse_args()
    copy, remove = plan(args.source, args.target, args.ignore)
    for name in copy:
        print("copy  ", name)
        if not args.dry_run:
            copy_file(args.source, args.target, name)
    if args.delete:
        for name in remove:
            print("remove", name)
            if not args.dry_run:
                remove_file(args.target, name)
    print(f"{len(copy)} copied, {len(remove) if args.delete else 0} removed")


if __name__ == "__main__":
    main()
