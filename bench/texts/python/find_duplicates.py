import hashlib
import os
import sys
from collections import defaultdict


def files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                yield path


def group(paths, key):
    found = defaultdict(list)
    for path in paths:
        try:
            found[key(path)].append(path)
        except OSError as error:
            print(error, file=sys.stderr)
    return [paths for paths in found.values() if len(paths) > 1]


def head(path):
    with open(path, "rb") as handle:
        return os.path.getsize(path), handle.read(4096)


def digest(path):
    found = hashlib.sha1()
    with open(path, "rb") as handle:
        for chunk in iter(lambda: handle.read(1 << 20), b""):
            found.update(chunk)
    return found.digest()


def duplicates(root):
    for same_size in group(files(root), os.path.getsize):
        for same_head in group(same_size, head):
            yield from group(same_head, digest)


wasted = 0
for paths in duplicates(sys.argv[1] if len(sys.argv) > 1 else "."):
    size = os.path.getsize(paths[0])
    wasted += size * (len(paths) - 1)
    print(f"{size} bytes:")
    for path in sorted(paths):
        print("   ", path)
print(f"{wasted / 1e6:.1f} MB could be freed")
