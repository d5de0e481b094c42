"""The words that Interlock uses in pages, messages, JSON and documentation, each with one meaning."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple


class Term(NamedTuple):
    """A word and its meaning."""

    name: str
    meaning: str


#: By theme, in the order in which a newcomer meets them.
GLOSSARY: dict[str, tuple[Term, ...]] = {
    "Actions and decisions": (
        Term("action", "Something that an agent is about to do: run a command, edit a file, call a tool."),
        Term("agent", "The program that acts: a coding agent, a framework's agent, or your own. Each has a name."),
        Term("run", "One session of an agent. Its actions are numbered, and share a memory."),
        Term("call", "An action in a run, by its number."),
        Term("effect", "One thing that an action would do, such as deleting a file or sending a message."),
        Term("rule", "A pattern of effects that Interlock knows to be risky. Rules come with Interlock."),
        Term("finding", "A rule that matches an action, with its reason and level."),
        Term("level", "How risky an action is: safe, low, medium, high or critical."),
        Term("score", "The same as a number from 0 to 100."),
        Term("policy", "A condition and a verdict that your team adds. The strictest matching policy counts."),
        Term("mode", "How strict Interlock is where no policy matches."),
        Term("floor", "A rule that no policy and no approval can lift."),
        Term("verdict", "What is decided about an action: allow, warn, require approval or block."),
        Term("decision", "A verdict with its reasons, as it is recorded."),
        Term("opaque", "A part of an action that could not be analysed, such as code that is fetched while it runs."),
        Term("environment", "Where an action takes effect, such as development or production."),
        Term("workspace", "The folder that an agent works in."),
    ),
    "Approvals": (
        Term("request", "An action that waits for approval. It is pending until somebody answers, or it expires."),
        Term("approve, reject", "The two answers to a request."),
        Term("approver", "A person who may answer a request."),
        Term("quiz", "Questions about an action, which its approver answers first."),
        Term("expired", "A request that nobody answered in time. Its action does not run."),
        Term("cancelled", "A request that its agent or a person withdrew."),
        Term("grant", "An approval that covers later actions of the same shape, for a limited time."),
        Term("reviewer model", "A model that answers requests within the limits that you set, or advises."),
        Term("rubber stamp", "An approval that was given faster than the request can be read."),
        Term("pause", "To stop one run until a person resumes it."),
        Term("stop", "To refuse every action of an agent, of an API key, or of all, until the stop is lifted."),
        Term("observe", "To record what would have been stopped, and let it run."),
    ),
    "People and access": (
        Term("person", "Somebody who can sign in: a reviewer, who answers requests, or an admin."),
        Term("role", "What a person or a key may do: agent, reviewer, admin or machine."),
        Term("group", "People who can be named together in a policy, as in `@sre`."),
        Term(
            "API key",
            "The secret with which a program calls the server, as an agent, a reviewer, an admin or a machine.",
        ),
        Term(
            "pin", "A fact about an agent that is fixed in its key, such as its workspace. The agent cannot change it."
        ),
        Term("channel", "A way to notify people, such as Slack, Telegram, e-mail or a browser."),
        Term("webhook", "A URL that receives records as they are written."),
        Term("machine", "A computer that takes its policies from the server."),
        Term("bundle", "The signed set of policies that machines take."),
    ),
    "Records": (
        Term("record", "One entry of the audit log."),
        Term("chain", "All records, each with the hash of the one before, so that changes are found."),
        Term("checkpoint", "A signed record of how far the chain has grown."),
        Term("store", "The database with the chain and everything else: SQLite or PostgreSQL."),
        Term("spool", "Records in a file, which wait until the store answers again."),
        Term("masked", "Replaced by a placeholder, because it is a secret or personal data."),
        Term("retention", "How long records are kept."),
    ),
}


def render_page() -> str:
    """Return the glossary as Markdown."""
    lines = [
        "# Glossary",
        "",
        "Each of these words has one meaning, in the pages, the command line, the JSON and the docs.",
    ]
    for theme, terms in GLOSSARY.items():
        lines += ["", f"## {theme}", "", "| word | meaning |", "|---|---|"]
        lines += [f"| **{term.name}** | {term.meaning} |" for term in terms]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(render_page(), "utf-8")
