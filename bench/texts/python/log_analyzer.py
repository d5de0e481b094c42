import collections
import gzip
import ipaddress
import re
import sys

LINE = re.compile(
    r'(?P<ip>\S+) \S+ (?P<user>\S+) \[(?P<time>[^\]]+)\] "(?P<method>\S+) (?P<path>\S+) [^"]*" '
    r'(?P<status>\d{3}) (?P<size>\d+|-) "(?P<referer>[^"]*)" "(?P<agent>[^"]*)"'
)
BOTS = ("bot", "crawler", "spider", "curl", "python-requests")


def open_log(path):
    if path.endswith(".gz"):
        return gzip.open(path, "rt", errors="replace")
    return open(path, errors="replace")


def parse(lines):
    for line in lines:
        match = LINE.match(line)
        if match:
            entry = match.groupdict()
            entry["status"] = int(entry["status"])
            entry["size"] = 0 if entry["size"] == "-" else int(entry["size"])
            yield entry


def is_bot(entry):
    agent = entry["agent"].lower()
    return any(word in agent for word in BOTS)


def is_private(entry):
    try:
        return ipaddress.ip_address(entry["ip"]).is_private
    except ValueError:
        return False


def normalise(path):
    path = path.split("?", 1)[0]
    path = re.sub(r"/\d+", "/:id", path)
    return re.sub(r"/[0-9a-f]{8,}", "/:hash", path)


class Stats:
    def __init__(self):
        self.total = 0
        self.bytes = 0
        self.status = collections.Counter()
        self.paths = collections.Counter()
        self.ips = collections.Counter()
        self.errors = collections.Counter()

    def add(self, entry):
        self.total += 1
        self.bytes += entry["size"]
        self.status[entry["status"] // 100] += 1
        self.paths[normalise(entry["path"])] += 1
        self.ips[entry["ip"]] += 1
        if entry["status"] >= 500:
            self.errors[entry["path"]] += 1

    def top(self, counter, count=10):
        for key, number in counter.most_common(count):
            yield key, number, 100 * number / max(self.total, 1)


def human(size):
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1024:
            return f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TB"


def section(title):
    print()
    print(title)
    print("-" * len(title))


def report(stats):
    section("Summary")
    print(f"requests  {stats.total}")
    print(f"traffic   {human(stats.bytes)}")
    for group, count in sorted(stats.status.items()):
        print(f"{group}xx       {count}")
    for title, counter in (("Paths", stats.paths), ("Clients", stats.ips), ("Errors", stats.errors)):
        section(title)
        for key, number, share in stats.top(counter):
            print(f"{number:8d} {share:5.1f}%  {key}")


def main(paths):
    stats = Stats()
    for path in paths:
        with open_log(path) as handle:
            for entry in parse(handle):
                if not is_bot(entry) and not is_private(entry):
                    stats.add(entry)
    report(stats)


if __name__ == "__main__":
    main(sys.argv[1:] or ["/var/log/nginx/access.log"])
