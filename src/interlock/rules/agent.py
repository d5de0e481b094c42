"""The agent's own leash: Interlock's files, and the settings that say what an agent may do."""

from interlock.levels import Level
from interlock.rules.rule import Rule, any_of, effect, family

RULES = family(
    "agent",
    Rule(
        name="guard_change",
        level=Level.CRITICAL,
        grave=True,
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
        name="guard_stopped",
        level=Level.CRITICAL,
        when=(
            effect("process.signal service.change", named=any_of("interlock interlock.service")),
            effect("package.remove", named=any_of("interlock")),
        ),
        reason="Without Interlock nobody looks at what comes next",
        instead="interlock assess ls",
        match=["$ pkill -f interlock", "$ systemctl stop interlock", "$ pip uninstall -y interlock"],
        no_match=["$ pip show interlock", "$ systemctl status interlock", "$ pkill -f server"],
    ),
    Rule(
        name="other_guard_change",
        level=Level.HIGH,
        when=effect("fs.write fs.delete fs.move fs.mode", "other_guard"),
        reason="Another guard's rules and records are not for the agent to change",
        match=["$ rm -rf ~/.agentshield", "$ echo x > .vectimus/rules.toml"],
        no_match=["$ cat .vectimus/rules.toml"],
    ),
    Rule(
        name="agent_rules_change",
        level=Level.MEDIUM,
        when=effect("fs.write fs.delete fs.move", "agent_rules"),
        reason="What stands here steers every later session of the agent",
        match=["$ echo 'Be brief' >> CLAUDE.md", 'tool Write {"file_path": "AGENTS.md", "content": "x"}'],
        no_match=["$ cat AGENTS.md"],
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
    Rule(
        name="agent_unguarded",
        level=Level.HIGH,
        when=effect("process.run", "unguarded"),
        reason="An agent that asks nobody can do whatever it is talked into",
        instead="claude -p 'explain this project'",
        match=[
            "$ claude --dangerously-skip-permissions",
            "$ codex --full-auto 'fix it'",
            "$ gemini --yolo",
            "$ claude --permission-mode bypassPermissions",
            "$ codex exec --sandbox danger-full-access 'fix it'",
            "$ npx claude --dangerously-skip-permissions",
        ],
        no_match=["$ claude -p 'explain this'", "$ codex exec 'fix it'", "$ echo --yolo"],
    ),
)
