"""A small static site generator."""
import html
import re
import shutil
from datetime import date
from pathlib import Path

SRC = Path("content")
OUT = Path("public")
TEMPLATE = """<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title><link rel="stylesheet" href="/style.css"></head>
<body><nav>{nav}</nav><main>{body}</main><footer>{footer}</footer></body></html>
"""


class Page:
    def __init__(self, path):
        self.path = path
        self.meta, self.source = split_front_matter(path.read_text(encoding="utf-8"))

    @property
    def title(self):
        return self.meta.get("title") or self.path.stem.replace("-", " ").title()

    @property
    def date(self):
        return self.meta.get("date", "")

    @property
    def url(self):
        relative = self.path.relative_to(SRC).with_suffix("")
        if relative.name == "index":
            return "/" if str(relative.parent) == "." else f"/{relative.parent}/"
        return f"/{relative}/"

    @property
    def target(self):
        return OUT / self.url.strip("/") / "index.html"

    def is_draft(self):
        return self.meta.get("draft", "no").lower() in ("yes", "true")


def split_front_matter(text):
    if not text.startswith("---\n"):
        return {}, text
    head, _, body = text[4:].partition("\n---\n")
    meta = {}
    for line in head.splitlines():
        key, _, value = line.partition(":")
        meta[key.strip().lower()] = value.strip()
    return meta, body


def inline(text):
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)


def heading(line):
    level = len(line) - len(line.lstrip("#"))
    return f"<h{level}>{inline(line[level:].strip())}</h{level}>"


def listing(lines):
    items = "".join(f"<li>{inline(line[2:])}</li>" for line in lines)
    return f"<ul>{items}</ul>"


def block(text):
    lines = text.splitlines()
    if text.startswith("```"):
        return f"<pre><code>{html.escape(chr(10).join(lines[1:-1]))}</code></pre>"
    if text.startswith("#"):
        return heading(lines[0])
    if all(line.startswith("- ") for line in lines):
        return listing(lines)
    if text.startswith("> "):
        return f"<blockquote>{inline(' '.join(line[2:] for line in lines))}</blockquote>"
    return f"<p>{inline(' '.join(lines))}</p>"


def markdown(source):
    blocks = re.split(r"\n\s*\n", source.strip())
    return "\n".join(block(part) for part in blocks if part)


def navigation(pages, current):
    links = []
    for page in pages:
        mark = ' class="here"' if page is current else ""
        links.append(f'<a href="{page.url}"{mark}>{html.escape(page.title)}</a>')
    return " ".join(links)


def render(page, pages):
    return TEMPLATE.format(
        title=html.escape(page.title),
        nav=navigation(pages, page),
        body=markdown(page.source),
        footer=f"Updated {page.date or date.today().isoformat()}",
    )


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy_assets():
    for path in SRC.rglob("*"):
        if path.is_file() and path.suffix != ".md":
            target = OUT / path.relative_to(SRC)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


def feed(pages):
    entries = [
        f"<entry><title>{html.escape(page.title)}</title><link href='{page.url}'/><updated>{page.date}</updated></entry>"
        for page in sorted(pages, key=lambda page: page.date, reverse=True)[:20]
        if page.date
    ]
    return f"<feed xmlns='http://www.w3.org/2005/Atom'>{''.join(entries)}</feed>"


def build():
    if OUT.exists():
        shutil.rmtree(OUT)
    pages = [Page(path) for path in sorted(SRC.rglob("*.md"))]
    pages = [page for page in pages if not page.is_draft()]
    for page in pages:
        write(page.target, render(page, pages))
        print(page.url)
    write(OUT / "feed.xml", feed(pages))
    copy_assets()


if __name__ == "__main__":
    build()
