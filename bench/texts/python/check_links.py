"""Check every link in the documentation."""
import concurrent.futures
import pathlib
import re
import sys
import urllib.error
import urllib.request

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SKIP = ("mailto:", "#", "http://localhost")


def links(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for target in LINK.findall(line):
            if not target.startswith(SKIP):
                yield number, target


def check_web(url):
    request = urllib.request.Request(url, method="HEAD", headers={"User-Agent": "link-check"})
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            return None if response.status < 400 else f"status {response.status}"
    except urllib.error.HTTPError as error:
        return None if error.code in (403, 405, 429) else f"status {error.code}"
    except (urllib.error.URLError, TimeoutError) as error:
        return str(error)


def check_file(source, target):
    path = source.parent / target.partition("#")[0]
    return None if path.exists() else "no such file"


def check(job):
    source, number, target = job
    problem = check_web(target) if target.startswith("http") else check_file(source, target)
    return source, number, target, problem


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    jobs = [(path, number, target) for path in sorted(root.rglob("*.md")) for number, target in links(path)]
    broken = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
        for source, number, target, problem in pool.map(check, jobs):
            if problem:
                broken += 1
                print(f"{source}:{number}: {target}: {problem}")
    print(f"{len(jobs)} links, {broken} broken")
    sys.exit(bool(broken))


main()
