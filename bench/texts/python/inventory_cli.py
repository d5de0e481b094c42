"""Keep track of what is in the workshop."""
import argparse
import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

STORE = Path.home() / ".workshop.json"


@dataclass
class Part:
    name: str
    quantity: int = 0
    location: str = ""
    tags: list = field(default_factory=list)

    def matches(self, query):
        query = query.lower()
        return query in self.name.lower() or any(query in tag.lower() for tag in self.tags)

    def label(self):
        tags = f" [{', '.join(self.tags)}]" if self.tags else ""
        return f"{self.name:<30} {self.quantity:>5}  {self.location}{tags}"


class Store:
    def __init__(self, path=STORE):
        self.path = path
        self.parts = {}
        self.load()

    def load(self):
        if self.path.exists():
            data = json.loads(self.path.read_text())
            self.parts = {name: Part(**values) for name, values in data.items()}

    def save(self):
        data = {name: asdict(part) for name, part in self.parts.items()}
        self.path.write_text(json.dumps(data, indent=2, sort_keys=True))

    def get(self, name):
        try:
            return self.parts[name]
        except KeyError:
            raise SystemExit(f"no part called {name!r}") from None

    def add(self, name, quantity, location, tags):
        part = self.parts.setdefault(name, Part(name))
        part.quantity += quantity
        if location:
            part.location = location
        part.tags = sorted({*part.tags, *tags})
        self.save()
        return part

    def take(self, name, quantity):
        part = self.get(name)
        if part.quantity < quantity:
            raise SystemExit(f"only {part.quantity} of {name} left")
        part.quantity -= quantity
        self.save()
        return part

    def search(self, query):
        return [part for part in self.parts.values() if part.matches(query)]

    def low(self, limit):
        return sorted((p for p in self.parts.values() if p.quantity <= limit), key=lambda p: p.quantity)


def show(parts):
    for part in parts:
        print(part.label())


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add")
    add.add_argument("name")
    add.add_argument("quantity", type=int)
    add.add_argument("--location", default="")
    add.add_argument("--tag", action="append", default=[])
    take = commands.add_parser("take")
    take.add_argument("name")
    take.add_argument("quantity", type=int, default=1, nargs="?")
    search = commands.add_parser("search")
    search.add_argument("query")
    low = commands.add_parser("low")
    low.add_argument("limit", type=int, default=3, nargs="?")
    args = parser.parse_args(argv)
    store = Store()
    if args.command == "add":
        show([store.add(args.name, args.quantity, args.location, args.tag)])
    elif args.command == "take":
        show([store.take(args.name, args.quantity)])
    elif args.command == "search":
        show(store.search(args.query))
    else:
        show(store.low(args.limit))


if __name__ == "__main__":
    sys.exit(main())
