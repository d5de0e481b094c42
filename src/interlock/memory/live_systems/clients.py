"""Contexts: which cluster, account or project a command switches a client to; and the tags that it creates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from interlock.memory.additions import add_tags
from interlock.memory.changes import EXPORTED, MAX_TEXT
from interlock.memory.live_systems.switches import SWITCHES
from interlock.memory.model import ANY_TAG, ClientContext
from interlock.model import Analysis
from interlock.patterns import late

_REST = r"[^\n;&|]*"
#: How each client is switched to a target.
_COMMANDS = {
    "kube": late(
        r"(?i)(?:use-context|set-context|current-context|get-credentials|update-kubeconfig|kubeconfig (?:save|merge)"
        rf"|export kubeconfig|oc project|minikube profile|kube login|kubie ctx|kube(?:ctx|ns)(?=\s+\S)){_REST}"
    ),
    "aws": late(rf"(?i)\b(?:aws configure(?! list| get)|awsp|aws-vault exec){_REST}"),
    "gcloud": late(rf"(?i)\bgcloud (?:config set|config configurations activate|config unset){_REST}"),
    "azure": late(rf"(?i)\baz (?:account set|cloud set){_REST}"),
    "docker": late(rf"(?i)\bdocker(?: buildx)? (?:context )?use{_REST}"),
    "terraform": late(rf"(?i)\bworkspace select{_REST}"),
    "pulumi": late(rf"(?i)\bstack select{_REST}"),
}
_VARIABLES = {
    "kube": late(r"\bKUBECONFIG=\S*"),
    "aws": late(r"\bAWS_(?:PROFILE|DEFAULT_PROFILE|REGION|DEFAULT_REGION|ACCESS_KEY_ID|ENDPOINT_URL\w*)=\S*"),
    "gcloud": late(r"\b(?:CLOUDSDK_\w+|GOOGLE_CLOUD_PROJECT|GCLOUD_PROJECT|GOOGLE_APPLICATION_CREDENTIALS)=\S*"),
    "azure": late(r"\b(?:AZURE|ARM)_\w+=\S*"),
    "docker": late(r"\bDOCKER_(?:HOST|CONTEXT)=\S*"),
    "terraform": late(r"\bTF_WORKSPACE=\S*"),
}
_REDIRECTED = late(r"\s\d*[<>].*")
#: Names that only the shell resolves, or that mean the previous context.
_UNKNOWN = late(r"[$`*?{}<>]|\s-(?:\s|$)")
_TAGGING = late(rf"\bgit\b[^\n;&|]{{0,200}}?\b(?:tag\b|update-ref\b|refs/tags/)(?P<rest>{_REST})")
_TAG = late(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")


def find_contexts(analysis: Analysis) -> tuple[ClientContext, ...]:
    """Return what a command switches each client to."""
    if "shell" not in analysis.languages:
        return ()
    text = analysis.text[:MAX_TEXT]
    found = {client: _name_of(words) for client in (*_COMMANDS, "other") if (words := list(_switches(text, client)))}
    return tuple(ClientContext(client, name) for client, name in found.items())


def _switches(text: str, client: str) -> Iterator[str]:
    """Yield the words by which a text switches a client. Those of clients without a name of their own are `other`."""
    if client == "other":
        for pattern in _COMMANDS.values():
            text = pattern.sub("", text)
        yield from (one[0] for one in SWITCHES.finditer(text))
        return
    yield from (one[0] for one in _COMMANDS[client].finditer(text))
    if client in _VARIABLES and EXPORTED.search(text):
        yield from (one[0] for one in _VARIABLES[client].finditer(text))


def _name_of(switches: Iterable[str]) -> str:
    text = "\n".join(" ".join(_REDIRECTED.sub("", one).split()) for one in switches)
    if _UNKNOWN.search(f"{text} "):
        return ""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def find_tags(analysis: Analysis) -> tuple[str, ...]:
    """Return the words of a command that may be names of tags that it creates."""
    if "shell" not in analysis.languages or "git" not in analysis.text:
        return ()
    rests = [one["rest"].split() for one in _TAGGING.finditer(analysis.text[:MAX_TEXT])]
    words = [word.strip("'\"").removeprefix("refs/tags/") for rest in rests for word in rest if word[:1] != "-"]
    unknown = (ANY_TAG,) if any(_UNKNOWN.search(word) for word in words) else ()
    return add_tags(unknown, filter(_TAG.fullmatch, words))
