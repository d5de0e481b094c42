"""The agent's own leash: Interlock's files, and the settings that say what an agent may do."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "agent",
    Rule(
        name="guard_change",
        level=Level.CRITICAL,
        when=effect("fs.write fs.delete fs.move fs.mode fs.owner fs.attribute defence.disable", "guard_config"),
        reason="Interlock's own configuration is not for the agent to change",
        match=[
            "$ echo 'mode = \"off\"' > interlock.toml",
            "$ rm -rf ~/.interlock",
            "$ interlock trust interlock.toml",
            "$ python -m interlock trust",
            "$ export INTERLOCK_HOME=/tmp/x",
            "$ git mv notes.toml interlock.toml",
            "$ git checkout other interlock.toml",
            "$ cp x interlock.tom?",
            "$ sed -i s/full/auto/ interlock.toml",
            'tool Write {"file_path": "interlock.toml", "content": ""}',
        ],
        no_match=[
            "$ cat interlock.toml",
            "$ grep mode interlock.toml",
            "$ interlock assess ls",
            "$ git add interlock.toml",
        ],
    ),
    Rule(
        name="agent_settings_change",
        level=Level.HIGH,
        when=effect("fs.write fs.delete fs.move", "agent_config"),
        reason="An agent's settings say what it may do",
        match=[
            "$ echo '{}' > ~/.claude/settings.json",
            "$ rm -rf .cursor",
            'tool Edit {"file_path": "/home/u/.codex/config.toml"}',
        ],
        no_match=["$ cat ~/.claude/CLAUDE.md"],
    ),
)
