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
        Term("rule", "A pattern of risky effects. Rules come with Interlock, and a configuration can add more."),
        Term("finding", "A rule that matches an action, with its reason and level."),
        Term("level", "How risky an action is: safe, low, medium, high or critical."),
        Term("score", "The risk of an action as a number from 0 to 100."),
        Term("policy", "A condition and a verdict that your team adds. The strictest matching policy counts."),
        Term("mode", "How strict Interlock is where no policy matches."),
        Term("tier", "The risk class of a tool and its command. What an approval requires depends on it."),
        Term("floor", "A rule that no policy and no approval can lift."),
        Term("verdict", "The outcome of a decision: allow, warn, require approval or block."),
        Term("decision", "A verdict with its reasons, as it is recorded."),
        Term("opaque", "A part of an action that could not be analysed, such as code that is fetched while it runs."),
        Term("coverage", "How much of an action could be analysed: full or partial."),
        Term("description", "What a program, a function or a tool does, in a TOML file. You can write your own."),
        Term("environment", "Where an action takes effect, such as development or production."),
        Term("workspace", "The folder that an agent works in."),
        Term("baseline", "What an agent has usually done in the last 28 days, to notice unusual behaviour."),
        Term("drift", "A difference from the baseline, such as a new host or far more actions."),
    ),
    "Guarding agents": (
        Term("hook", "A program that a coding agent calls before it runs a tool. Interlock installs itself as one."),
        Term("gate", "The object in a Python program that decides actions, asks for approval and records."),
        Term("guard", "A wrapper that has a gate decide each call of a function or a tool before it runs."),
        Term("gateway", "The program between an MCP client and an MCP server that decides each tool call."),
    ),
    "Approvals": (
        Term("request", "An action that waits for approval. It is pending until someone answers or it expires."),
        Term("approve, reject", "The two answers to a request."),
        Term("approver", "A person who may answer a request."),
        Term("challenge", "What an approver has to do before approving: read, take a quiz, or explain the action."),
        Term("quiz", "Questions about an action that its approver answers first."),
        Term("four eyes", "An approval that needs two different people."),
        Term("assign", "To give a request to a person. Others who may answer it still can."),
        Term("view", "A saved filter of the list of requests, private or shared with everyone."),
        Term("expired", "A request that nobody answered in time. Its action does not run."),
        Term("extend", "To keep a request open for longer."),
        Term("cancelled", "A request that was withdrawn by its agent or by a person."),
        Term(
            "grant",
            "An approval that covers later actions too, of exactly the same action or of a shape, for a limited time.",
        ),
        Term("shape", "A description of similar actions, such as a command with any branch except main."),
        Term("reviewer model", "A model that answers requests within the limits that you set, or advises."),
        Term("rubber stamp", "An approval that was given faster than the request can be read."),
        Term(
            "pause",
            "To hold the actions of an agent, of an API key, or of all agents, for some time or until resumed. "
            "A run is paused when a model keeps rejecting its requests.",
        ),
        Term("stop", "To refuse every action of an agent, of an API key, or of all agents, until the stop is lifted."),
        Term("observe", "To record verdicts without enforcing them, to see what would have been stopped."),
    ),
    "People and access": (
        Term("person", "Someone who can sign in: a reviewer, who answers requests, or an admin."),
        Term(
            "suspended", "A person who cannot sign in until an admin reactivates them. Keys that they own are refused."
        ),
        Term("role", "What a person or a key may do: agent, reviewer, admin or machine."),
        Term("group", "People who can be named together in a policy, as in `@sre`."),
        Term("sign-in link", "A link that signs one person in once, within 15 minutes."),
        Term("provider", "A service that people sign in with, such as Okta or Google, over OpenID Connect."),
        Term("identity", "A person's account at a provider, linked to that person."),
        Term(
            "API key",
            "The secret with which a program calls the server, as an agent, a reviewer, an admin or a machine.",
        ),
        Term(
            "pin", "A fact about an agent that is fixed in its key, such as its workspace. The agent cannot change it."
        ),
        Term("caller", "The person or program that sends a request to the server, by its session or its API key."),
        Term("machine", "A computer that takes its policies from the server."),
        Term("bundle", "The signed set of policies that machines take."),
    ),
    "Notifications": (
        Term("notification", "A message to a person about a request that they can answer."),
        Term("channel", "A way to notify people, such as Slack, Telegram, e-mail or a browser."),
        Term("chat account", "A person's account in Slack or Telegram, linked so that they can answer there."),
        Term("preferences", "What a person is notified of, where and when."),
        Term("quiet hours", "Times at which notifications wait until they are over."),
        Term("escalation", "Notifying the next person if nobody has answered yet."),
        Term("webhook", "A URL that receives records as they are written."),
    ),
    "Records": (
        Term("record", "One entry of the audit log."),
        Term("chain", "All records, each with the hash of the one before, so that changes are detected."),
        Term("checkpoint", "A signed record of how far the chain has grown."),
        Term("store", "The database with the chain and everything else: SQLite or PostgreSQL."),
        Term("spool", "A file that holds records until the store can be written again."),
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
