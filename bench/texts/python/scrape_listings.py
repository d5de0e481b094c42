import csv
import random
import re
import time
from urllib.parse import urljoin, urlparse

import requests
from bs4 import BeautifulSoup

BASE_URL = "https://listings.example.com/"
HEADERS = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) listings-research/1.2"}
PRICE = re.compile(r"[\d.,]+")


class ScrapeError(Exception):
    pass


class Client:
    def __init__(self, base_url, delay=1.0, retries=3):
        self.base_url = base_url
        self.delay = delay
        self.retries = retries
        self.session = requests.Session()
        self.session.headers.update(HEADERS)
        self.seen = set()

    def get(self, path):
        url = urljoin(self.base_url, path)
        for attempt in range(self.retries):
            response = self.session.get(url, timeout=20)
            if response.status_code == 200:
                self._pause()
                return response.text
            if response.status_code in (429, 503):
                self._back_off(attempt)
                continue
            raise ScrapeError(f"{url}: {response.status_code}")
        raise ScrapeError(f"{url}: gave up after {self.retries} attempts")

    def soup(self, path):
        return BeautifulSoup(self.get(path), "html.parser")

    def _pause(self):
        time.sleep(self.delay + random.random() / 2)

    def _back_off(self, attempt):
        wait = self.delay * 2 ** attempt
        print(f"waiting {wait:.1f}s")
        time.sleep(wait)


def clean(text):
    return re.sub(r"\s+", " ", text or "").strip()


def parse_price(text):
    found = PRICE.search(text or "")
    if not found:
        return None
    return float(found.group().replace(",", ""))


def select_text(node, selector, default=""):
    found = node.select_one(selector)
    return clean(found.get_text()) if found else default


def parse_card(card, base_url):
    link = card.select_one("a.title")
    if link is None:
        return None
    return {
        "title": clean(link.get_text()),
        "url": urljoin(base_url, link["href"]),
        "price": parse_price(select_text(card, ".price")),
        "location": select_text(card, ".location"),
        "posted": select_text(card, "time"),
        "rooms": select_text(card, "[data-rooms]", "0"),
    }


def parse_details(soup):
    details = {}
    for row in soup.select("table.details tr"):
        cells = row.find_all(["th", "td"])
        if len(cells) == 2:
            details[clean(cells[0].get_text()).lower()] = clean(cells[1].get_text())
    return details


def next_page(soup):
    link = soup.select_one("a[rel=next]")
    return link["href"] if link else None


def crawl(client, start, limit):
    path = start
    count = 0
    while path and count < limit:
        soup = client.soup(path)
        for card in soup.select("div.card"):
            item = parse_card(card, client.base_url)
            if item is None or item["url"] in client.seen:
                continue
            client.seen.add(item["url"])
            details = parse_details(client.soup(urlparse(item["url"]).path))
            item.update(area=details.get("area"), energy=details.get("energy class"))
            yield item
            count += 1
            if count >= limit:
                return
        path = next_page(soup)


def write_rows(path, rows):
    rows = list(rows)
    if not rows:
        print("nothing found")
        return 0
    with open(path, "w", newline="") as handle:
        writer = csv.DictWriter(handle, fieldnames=list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
    return len(rows)


def main():
    client = Client(BASE_URL, delay=1.5)
    for city in ["berlin", "hamburg", "munich"]:
        found = crawl(client, f"rent/{city}?sort=date", limit=40)
        written = write_rows(f"data/{city}.csv", found)
        print(city, written)


if __name__ == "__main__":
    main()
