"""Links to the pages of runs and policies, whose ids may hold any character."""

from __future__ import annotations

import base64
import re
from urllib.parse import quote

from interlock.errors import MissingError
from interlock.patterns import late

_SIMPLE = late(r"\w[\w.:@-]*", re.ASCII)


def run_link(run_id: str) -> str:
    """Return the URL of a run's page. Ids with dots or slashes are encoded, since browsers rewrite such URLs.

    >>> run_link("8f1c"), run_link("../x")
    ('/runs/8f1c', '/runs/~Li4veA')
    """
    if _SIMPLE.fullmatch(run_id):
        return f"/runs/{run_id}"
    return f"/runs/~{base64.urlsafe_b64encode(run_id.encode('utf-8', 'surrogatepass')).decode().rstrip('=')}"


def run_id_from_path(path: str) -> str:
    """Return the id of the run that a URL names.

    >>> run_id_from_path("/8f1c"), run_id_from_path("/~Li4veA")
    ('8f1c', '../x')
    """
    name = path.removeprefix("/")
    if not name.startswith("~"):
        return name
    try:
        decoded = base64.b64decode(f"{name[1:]}{'=' * (-(len(name) - 1) % 4)}", b"-_", validate=True)
        return str(decoded, "utf-8", "surrogatepass")
    except ValueError:
        raise MissingError("there is no such run; the list of runs shows all of them") from None


def policy_link(policy_id: str) -> str:
    """Return the URL of a policy's page."""
    return f"/policies/{quote(policy_id, safe='')}"
