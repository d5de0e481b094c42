"""Agents and models: who may act on their own, and what they are given."""

from interlock.analyse.catalogue.spec import Spec

#: Options by which an agent asks nobody any more.
UNGUARDED = frozenset(
    (
        "--dangerously-skip-permissions --allow-dangerously-skip-permissions --skip-permissions --skip-permissions-unsafe --dangerously-bypass-approvals-and-sandbox "
        "--dangerously-allow-all --full-auto --yolo --trust-all-tools --allow-all-tools --allow-all-paths --yes-always --no-safety --no-sandbox-guard "
        "--auto-approve --auto-approve-all --disable-safety --bypass-permissions --unsafe-mode --no-permissions --disable-guardrails"
    ).split()
)
_GUARDS = {
    " ".join(sorted(UNGUARDED)): "+unguarded",
    "--allow-tool --permission-mode --approval-mode --ask-for-approval --sandbox --model -m --append-system-prompt --system-prompt --output-format --allowedTools --disallowedTools": "=-",
    "--allowed-tools --add-dir --resume -r --session-id --input-format --max-turns --config -c --cd -C --profile --settings --agents --tools --chat-language": "=-?",
    "--mcp-config": "=fs.read",
    "--message --msg --message-file --file --read": "=-",
    "-p --print --continue --verbose --debug -d -i --ide": "",
    "--help --version -v -h": "!system.read",
}
_SERVER = Spec("add", does="package.install", flags="mcp_server", operands="-*")
_SETTINGS = Spec(
    "agent",
    options=_GUARDS,
    sub={
        "mcp": Spec(
            "mcp",
            sub={
                "list get ls reset-project-choices": "system.read",
                "serve": "net.listen",
                "remove rm logout login": "process.run",
                "": "system.read",
                "*": _SERVER,
            },
        ),
        "plugin plugins extensions extension skills marketplace": Spec(
            "plugin",
            sub={
                "list ls validate": "system.read",
                "uninstall remove disable": "process.run",
                "": "system.read",
                "*": Spec("install", operands="package.install*", flags="extension", does="package.install"),
            },
        ),
        "update upgrade install": "package.install",
        "doctor auth login logout config setup-token migrate-installer completion whoami status models": "process.run",
        "": Spec("agent", does="process.run", operands="-*", options=_GUARDS),
        "*": Spec("agent", does="process.run", operands="-*", options=_GUARDS),
    },
)

#: A command of ours that only a person gives: it lets something through, or takes a guard away.
_LOOSENS = Spec("loosens", does="defence.disable", operands="-*", flags="guard_config")

SPECS = (
    Spec(
        "claude codex gemini cursor-agent amazon-q q opencode crush amp cline droid qwen kimi auggie openhands plandex cody cn forge iflow",
        options=_GUARDS,
        sub=_SETTINGS.sub,
    ),
    Spec(
        "aider gptme interpreter open-interpreter mentat sweep gpt-engineer gpte devika",
        does="process.run",
        operands="-*",
        options={**_GUARDS, "--yes -y --auto_run --auto-run": "+unguarded"},
    ),
    Spec("llm chatgpt sgpt mods aichat fabric ollama-cli openai anthropic", does="process.run", operands="-*"),
    Spec(
        "ollama lms llamafile",
        sub={
            "pull run create cp load get": Spec(
                "pull", operands="package.install -*", does="package.install", flags="model"
            ),
            "push": Spec("push", does="package.publish", operands="-*"),
            "rm unload": "package.remove*",
            "serve server": "net.listen",
            "*": "system.read",
            "": "system.read",
        },
    ),
    Spec(
        "huggingface-cli hf",
        sub={
            "download": Spec(
                "download",
                operands="net.fetch -*",
                options={
                    "--local-dir --cache-dir": "=fs.write",
                    "--revision --repo-type --include --exclude --token": "=-",
                },
            ),
            "upload upload-large-folder": Spec(
                "upload",
                operands="- fs.read -",
                does="package.publish",
                options={"--repo-type --revision --commit-message --include --exclude --token": "=-"},
            ),
            "repo": Spec(
                "repo",
                sub={
                    "delete": Spec("delete", does="package.publish", flags="withdraw", operands="-*"),
                    "list": "package.read",
                    "*": Spec("create", does="package.publish", operands="-*"),
                },
            ),
            "delete-repo": Spec("delete", does="package.publish", flags="withdraw", operands="-*"),
            "login logout auth": "process.run",
            "*": "system.read",
        },
    ),
    Spec("vllm llama-server llama-cli text-generation-launcher litellm", does="process.run", operands="-*"),
    Spec(
        "interlock",
        sub={
            "trust": Spec(
                "trust", operands="fs.write*", does="defence.disable", flags="guard_config", default="interlock.toml"
            ),
            "approvals": Spec(
                "approvals",
                options={"--store --config --state --limit --days --reason": "=-"},
                sub={
                    "approve": _LOOSENS,
                    "*": "system.read",
                    "": "system.read",
                },
            ),
            "runs": Spec(
                "runs",
                options={"--store --config --limit": "=-"},
                sub={
                    "resume": _LOOSENS,
                    "*": "system.read",
                    "": "system.read",
                },
            ),
            "audit": Spec(
                "audit",
                options={"--store --config": "=-"},
                sub={
                    "accept": _LOOSENS,
                    "*": "system.read",
                    "": "system.read",
                },
            ),
            "store": Spec(
                "store",
                options={"--store --config": "=-"},
                sub={
                    "prune": _LOOSENS,
                    "backup": Spec("backup", operands="fs.write", options={"--store --config": "=-"}),
                    "*": "system.read",
                    "": "system.read",
                },
            ),
            "install uninstall": Spec(
                "install",
                operands="-*",
                does="defence.disable",
                flags="guard_config",
                options={"--dry-run": "!system.read"},
            ),
            "daemon": Spec(
                "daemon",
                sub={
                    "stop": _LOOSENS,
                    "status": "system.read",
                    "*": "process.run",
                    "": "process.run",
                },
            ),
            "mcp": Spec("mcp", operands="command", options={"--url --name --header --wait --store --config": "=-"}),
            "keys people": Spec(
                "keys",
                options={"--store --config": "=-"},
                sub={
                    "list": "system.read",
                    "": "system.read",
                    "*": _LOOSENS,
                },
            ),
            "*": "system.read",
            "": "system.read",
        },
    ),
)
