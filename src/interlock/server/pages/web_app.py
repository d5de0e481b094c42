"""The pages as an installable app: a manifest, and the service worker that shows notifications."""

from __future__ import annotations

from typing import Any

from litestar import Response, get

from interlock.server.authorization import OPEN
from interlock.server.pages.renderer import FOLDER

MANIFEST: dict[str, Any] = {
    "name": "Interlock",
    "short_name": "Interlock",
    "description": "Approve what AI agents do, before they do it.",
    "id": "/",
    "start_url": "/approvals",
    "scope": "/",
    "display": "standalone",
    "background_color": "#131715",
    "theme_color": "#131715",
    "icons": [
        {"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"},
        {"src": "/static/icon-192.png", "sizes": "192x192", "type": "image/png"},
        {"src": "/static/icon-512.png", "sizes": "512x512", "type": "image/png"},
        {"src": "/static/icon-512.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
    ],
}
_WORKER = (FOLDER / "static" / "service-worker.js").read_bytes()
#: Not cached, so that a new version of the server is never served by an old worker.
_FRESH = {"cache-control": "no-cache"}


@get("/manifest.webmanifest", opt={"right": OPEN}, include_in_schema=False)
async def manifest() -> Response[dict[str, Any]]:
    """Return the manifest."""
    return Response(MANIFEST, media_type="application/manifest+json", headers=_FRESH)


@get("/service-worker.js", opt={"right": OPEN}, include_in_schema=False)
async def service_worker() -> Response[bytes]:
    """Return the service worker. At this address, its scope is all pages."""
    return Response(_WORKER, media_type="text/javascript", headers=_FRESH)


ROUTES = [manifest, service_worker]
