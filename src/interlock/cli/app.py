"""The command-line application: all commands and groups."""

from __future__ import annotations

from cyclopts import App

import interlock
from interlock.cli.commands import (
    agents,
    approvals,
    audit,
    central,
    changes,
    chat_accounts,
    config,
    decisions,
    evidence,
    grants,
    groups,
    history,
    knowledge,
    learning,
    notify,
    observe,
    policies,
    policy_files,
    replay,
    runs,
    serve,
    stops,
    store,
    suggest,
)

app = App(
    name="interlock",
    help="Decides, before it runs, whether an AI agent's action may run.\n\n"
    "Try `interlock assess 'rm -rf build'`, then `interlock explain` to see every step.\n\n"
    "Exit status: 0 allowed or warned, 1 an error in the call or the configuration, 2 blocked, 3 needs approval.",
    version=interlock.__version__,
)
policy = App(name="policy", help="Check, test and apply policies; see and undo what was applied.")
app.command(policy)
policies.register(policy)
policy_files.register(policy)
chat_accounts.register(notify.group)
PARTS = (
    approvals,
    grants,
    runs,
    audit,
    evidence,
    history,
    store,
    knowledge,
    observe,
    central,
    notify,
    groups,
    config,
    changes,
)
for part in PARTS:
    app.command(part.group)
for command in (agents.install, agents.uninstall, agents.doctor, agents.hook, agents.mcp, agents.channel):
    app.command(command)
app.command(agents.daemon)
app.command(replay.replay)
app.command(serve.serve)
app.command(serve.keys)
app.command(serve.people)
app.command(groups.identities)
app.command(learning.coverage)
app.command(learning.report)
app.command(suggest.group)
for one in (decisions.assess, decisions.explain, decisions.rules, stops.stop, stops.pause, stops.resume):
    app.command(one)
app.command(config.trust)
app.command(decisions.accuracy)
app.command(decisions.demo)
