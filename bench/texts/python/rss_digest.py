import email.message
import html
import os
import smtplib
import sqlite3
import time
import xml.etree.ElementTree as ET

import requests

FEEDS = {
    "Python": "https://planet.example.org/python.xml",
    "Databases": "https://planet.example.org/databases.xml",
    "Security": "https://planet.example.org/security.xml",
}


class Seen:
    def __init__(self, path="seen.db"):
        self.db = sqlite3.connect(path)
        self.db.execute("CREATE TABLE IF NOT EXISTS seen (link TEXT PRIMARY KEY, at REAL)")

    def is_new(self, link):
        return self.db.execute("SELECT 1 FROM seen WHERE link = ?", (link,)).fetchone() is None

    def add(self, link):
        self.db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (link, time.time()))
        self.db.commit()


def text_of(item, name):
    found = item.find(name)
    return (found.text or "").strip() if found is not None else ""


def entries(url):
    response = requests.get(url, timeout=20)
    response.raise_for_status()
    for item in ET.fromstring(response.content).iter("item"):
        yield {"title": text_of(item, "title"), "link": text_of(item, "link"), "summary": text_of(item, "description")}


def collect(seen):
    digest = {}
    for name, url in FEEDS.items():
        try:
            fresh = [entry for entry in entries(url) if seen.is_new(entry["link"])]
        except (requests.RequestException, ET.ParseError) as error:
            print(f"{name}: {error}")
            continue
        for entry in fresh:
            seen.add(entry["link"])
        if fresh:
            digest[name] = fresh
    return digest


def render(digest):
    parts = []
    for name, found in digest.items():
        items = "".join(
            f'<li><a href="{html.escape(entry["link"])}">{html.escape(entry["title"])}</a></li>' for entry in found
        )
        parts.append(f"<h2>{html.escape(name)}</h2><ul>{items}</ul>")
    return "".join(parts)


def send(body):
    message = email.message.EmailMessage()
    message["Subject"] = f"Digest {time.strftime('%F')}"
    message["From"] = message["To"] = os.environ["DIGEST_MAIL"]
    message.set_content("This mail needs HTML.")
    message.add_alternative(body, subtype="html")
    with smtplib.SMTP("localhost") as server:
        server.send_message(message)


if __name__ == "__main__":
    digest = collect(Seen())
    if digest:
        send(render(digest))
    print(sum(map(len, digest.values())), "new entries")
