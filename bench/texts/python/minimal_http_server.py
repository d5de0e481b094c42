import json
import mimetypes
import urllib.parse
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path("public").resolve()
ROUTES = {}


def route(method, path):
    def register(function):
        ROUTES[method, path] = function
        return function

    return register


@route("GET", "/api/files")
def list_files(query, body):
    pattern = query.get("pattern", ["*"])[0]
    return [{"name": path.name, "size": path.stat().st_size} for path in sorted(ROOT.glob(pattern))]


@route("POST", "/api/echo")
def echo(query, body):
    return {"query": query, "body": body}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.dispatch("GET")

    def do_POST(self):
        self.dispatch("POST")

    def dispatch(self, method):
        parts = urllib.parse.urlsplit(self.path)
        function = ROUTES.get((method, parts.path))
        if function is None:
            return self.serve_file(parts.path) if method == "GET" else self.fail(HTTPStatus.NOT_FOUND)
        try:
            body = self.read_json()
        except ValueError:
            return self.fail(HTTPStatus.BAD_REQUEST)
        self.reply(function(urllib.parse.parse_qs(parts.query), body))

    def read_json(self):
        length = int(self.headers.get("Content-Length") or 0)
        return json.loads(self.rfile.read(length)) if length else None

    def reply(self, value, status=HTTPStatus.OK):
        data = json.dumps(value).encode()
        self.answer(status, "application/json", data)

    def serve_file(self, path):
        target = (ROOT / path.lstrip("/")).resolve()
        if not target.is_relative_to(ROOT) or not target.is_file():
            return self.fail(HTTPStatus.NOT_FOUND)
        kind = mimetypes.guess_type(target.name)[0] or "application/octet-stream"
        self.answer(HTTPStatus.OK, kind, target.read_bytes())

    def fail(self, status):
        self.reply({"error": status.phrase}, status)

    def answer(self, status, kind, data):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
    print("http://127.0.0.1:8080/")
    server.serve_forever()
