"""Move a module and rewrite every import of it in the repository."""
import argparse
import ast
import difflib
import subprocess
import sys
from pathlib import Path


def git(*args):
    result = subprocess.run(["git", *args], capture_output=True, text=True, check=True)
    return result.stdout


def tracked_files(root, suffix=".py"):
    names = git("-C", str(root), "ls-files", f"*{suffix}").splitlines()
    return [root / name for name in names]


def module_name(path, root):
    parts = path.relative_to(root).with_suffix("").parts
    if parts[0] == "src":
        parts = parts[1:]
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


class ImportFinder(ast.NodeVisitor):
    def __init__(self, old, new):
        self.old, self.new = old, new
        self.edits = []

    def renamed(self, name):
        if name == self.old:
            return self.new
        if name.startswith(self.old + "."):
            return self.new + name[len(self.old):]
        return None

    def visit_Import(self, node):
        for alias in node.names:
            self.note(node, alias.name)

    def visit_ImportFrom(self, node):
        if node.level == 0 and node.module:
            self.note(node, node.module)
            for alias in node.names:
                self.note(node, f"{node.module}.{alias.name}")

    def note(self, node, name):
        renamed = self.renamed(name)
        if renamed is not None:
            self.edits.append((node.lineno, name, renamed))


def rewrite_line(line, old, new):
    old_head, _, old_tail = old.rpartition(".")
    new_head, _, new_tail = new.rpartition(".")
    for before, after in (
        (f"import {old}", f"import {new}"),
        (f"from {old} import", f"from {new} import"),
        (f"from {old_head} import {old_tail}", f"from {new_head} import {new_tail}"),
    ):
        if before in line:
            return line.replace(before, after)
    return line


def rewrite(source, old, new):
    finder = ImportFinder(old, new)
    finder.visit(ast.parse(source))
    lines = source.splitlines(keepends=True)
    for number, before, after in finder.edits:
        lines[number - 1] = rewrite_line(lines[number - 1], before, after)
    return "".join(lines)


def show_diff(path, before, after):
    diff = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="")
    print("\n".join(diff))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--root", type=Path, default=Path.cwd())
    parser.add_argument("--apply", action="store_true")
    args = parser.parse_args()

    old = module_name(args.root / args.old, args.root)
    new = module_name(args.root / args.new, args.root)
    changed = 0
    for path in tracked_files(args.root):
        source = path.read_text(encoding="utf-8")
        try:
            after = rewrite(source, old, new)
        except SyntaxError as error:
            print(f"skipped {path}: {error}", file=sys.stderr)
            continue
        if after != source:
            changed += 1
            show_diff(path, source, after)
            if args.apply:
                path.write_text(after, encoding="utf-8")
    if args.apply:
        (args.root / args.new).parent.mkdir(parents=True, exist_ok=True)
        git("-C", str(args.root), "mv", str(args.old), str(args.new))
    print(f"{changed} files {'changed' if args.apply else 'would change'}")


if __name__ == "__main__":
    main()
