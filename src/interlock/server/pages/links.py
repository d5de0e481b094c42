"""Links to the pages of runs, agents and policies, whose ids may hold any character."""

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
    return f"/runs/{_encode(run_id)}"


def agent_link(agent_id: str) -> str:
    """Return the URL of an agent's page; actions without the name of an agent have one as well.

    >>> agent_link("coder"), agent_link("coder/tester"), agent_link("")
    ('/agents/coder', '/agents/~Y29kZXIvdGVzdGVy', '/agents/~')
    """
    return f"/agents/{_encode(agent_id)}"


def run_id_from_path(path: str) -> str:
    """Return the id of the run that a URL names.

    >>> run_id_from_path("/8f1c"), run_id_from_path("/~Li4veA")
    ('8f1c', '../x')
    """
    return _decode(path, "there is no such run; the list of runs shows all of them")


def agent_id_from_path(path: str) -> str:
    """Return the name of the agent that a URL names.

    >>> agent_id_from_path("/~Y29kZXIvdGVzdGVy")
    'coder/tester'
    """
    return _decode(path, "there is no such agent; the list of agents shows all of them")


def _encode(name: str) -> str:
    if _SIMPLE.fullmatch(name):
        return name
    return f"~{base64.urlsafe_b64encode(name.encode('utf-8', 'surrogatepass')).decode().rstrip('=')}"


def _decode(path: str, missing: str) -> str:
    name = path.removeprefix("/")
    if not name.startswith("~"):
        return name
    try:
        decoded = base64.b64decode(f"{name[1:]}{'=' * (-(len(name) - 1) % 4)}", b"-_", validate=True)
        return str(decoded, "utf-8", "surrogatepass")
    except ValueError:
        raise MissingError(missing) from None


def policy_link(policy_id: str) -> str:
    """Return the URL of a policy's page."""
    return f"/policies/{quote(policy_id, safe='')}"
