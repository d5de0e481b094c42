import collections
import datetime
import subprocess
import sys


def git(*args):
    return subprocess.check_output(["git", *args], text=True)


def commits(since):
    out = git("log", f"--since={since}", "--pretty=format:%H%x09%an%x09%aI%x09%s")
    for line in out.splitlines():
        sha, author, date, subject = line.split("\t", 3)
        yield sha, author, datetime.datetime.fromisoformat(date), subject


def changes(sha):
    added = removed = 0
    for line in git("show", "--numstat", "--format=", sha).splitlines():
        plus, minus, _ = line.split("\t")
        if plus != "-":
            added += int(plus)
            removed += int(minus)
    return added, removed


def table(title, counter, limit=10):
    print(f"\n{title}")
    for name, count in counter.most_common(limit):
        print(f"  {count:6d}  {name}")


def main():
    since = sys.argv[1] if len(sys.argv) > 1 else "3 months ago"
    authors, hours, days, lines = (collections.Counter() for _ in range(4))
    for sha, author, date, _ in commits(since):
        authors[author] += 1
        hours[date.hour] += 1
        days[date.strftime("%A")] += 1
        added, removed = changes(sha)
        lines[author] += added + removed
    table("Commits by author", authors)
    table("Changed lines by author", lines)
    table("By day", days, 7)
    table("By hour", hours, 24)


main()
