"""Agents where they run: hooks of coding agents, and what each of them can be told."""

#: How long a call of an agent may be, in bytes.
MAX_CALL = 16_000_000
#: After how many seconds a hook says no, where nothing else was typed: agents take one that is late for leave to go on.
DEADLINE_SECONDS = 25
#: Variables that say where an agent works.
PROJECTS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "COPILOT_PROJECT_DIR")
#: A variable that says how an agent was started, and what it holds where nobody sits before it.
STARTED, BY_A_SCRIPT = "CLAUDE_CODE_ENTRYPOINT", "sdk-cli"
