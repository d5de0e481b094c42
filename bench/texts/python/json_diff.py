import json
import sys


def walk(left, right, path=""):
    if type(left) is not type(right):
        yield path, "type", left, right
    elif isinstance(left, dict):
        for key in sorted(left.keys() | right.keys()):
            inner = f"{path}.{key}" if path else key
            if key not in left:
                yield inner, "added", None, right[key]
            elif key not in right:
                yield inner, "removed", left[key], None
            else:
                yield from walk(left[key], right[key], inner)
    elif isinstance(left, list):
        for index in range(max(len(left), len(right))):
            inner = f"{path}[{index}]"
            if index >= len(left):
                yield inner, "added", None, right[index]
            elif index >= len(right):
                yield inner, "removed", left[index], None
            else:
                yield from walk(left[index], right[index], inner)
    elif left != right:
        yield path, "changed", left, right


def short(value, limit=60):
    text = json.dumps(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def load(path):
    with open(path) as handle:
        return json.load(handle)


def main():
    first, second = map(load, sys.argv[1:3])
    count = 0
    for path, kind, left, right in walk(first, second):
        count += 1
        if kind == "added":
            print(f"+ {path}: {short(right)}")
        elif kind == "removed":
            print(f"- {path}: {short(left)}")
        else:
            print(f"~ {path}: {short(left)} -> {short(right)}")
    return 1 if count else 0


sys.exit(main())
