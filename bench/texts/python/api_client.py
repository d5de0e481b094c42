from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from pathlib import Path
from typing import Any, Iterator

import httpx

log = logging.getLogger("api")


class ApiError(Exception):
    def __init__(self, status: int, message: str):
        super().__init__(f"{status}: {message}")
        self.status = status


class RateLimit:
    def __init__(self, calls: int, period: float):
        self.calls, self.period = calls, period
        self.times: list[float] = []

    def wait(self) -> None:
        now = time.monotonic()
        self.times = [at for at in self.times if now - at < self.period]
        if len(self.times) >= self.calls:
            time.sleep(self.period - (now - self.times[0]))
        self.times.append(time.monotonic())


class Cache:
    def __init__(self, folder: Path, ttl: float):
        self.folder, self.ttl = folder, ttl
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"

    def get(self, key: str) -> Any:
        path = self._path(key)
        if not path.exists() or time.time() - path.stat().st_mtime > self.ttl:
            return None
        return json.loads(path.read_text())

    def put(self, key: str, value: Any) -> None:
        self._path(key).write_text(json.dumps(value))


class Client:
    def __init__(self, base: str, token: str | None = None, cache: Cache | None = None):
        self.http = httpx.Client(base_url=base, timeout=30, headers=self._headers(token))
        self.limit = RateLimit(30, 60.0)
        self.cache = cache

    @staticmethod
    def _headers(token: str | None) -> dict[str, str]:
        headers = {"Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return headers

    def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        self.limit.wait()
        response = self.http.request(method, path, **options)
        log.debug("%s %s -> %d", method, path, response.status_code)
        if response.status_code >= 400:
            raise ApiError(response.status_code, response.text[:200])
        return response

    def get(self, path: str, **params: Any) -> Any:
        key = f"{path}?{json.dumps(params, sort_keys=True)}"
        if self.cache is not None:
            found = self.cache.get(key)
            if found is not None:
                return found
        value = self._request("GET", path, params=params).json()
        if self.cache is not None:
            self.cache.put(key, value)
        return value

    def pages(self, path: str, size: int = 100, **params: Any) -> Iterator[dict[str, Any]]:
        number = 1
        while True:
            page = self.get(path, page=number, per_page=size, **params)
            yield from page
            if len(page) < size:
                return
            number += 1

    def projects(self) -> Iterator[dict[str, Any]]:
        return self.pages("/projects", archived=False)

    def issues(self, project: int, state: str = "open") -> Iterator[dict[str, Any]]:
        return self.pages(f"/projects/{project}/issues", state=state)


def summary(client: Client) -> dict[str, int]:
    counts = {}
    for project in client.projects():
        counts[project["name"]] = sum(1 for _ in client.issues(project["id"]))
    return counts


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    cache = Cache(Path(".cache/api"), ttl=600)
    client = Client("https://tracker.example.com/api/v4", os.environ.get("TRACKER_TOKEN"), cache)
    for name, count in sorted(summary(client).items(), key=lambda item: -item[1]):
        print(f"{count:5d}  {name}")
