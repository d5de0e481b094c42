"""Stores of secrets: which commands show one, and which destroy it."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "vault bao",
        options={"-address --address -namespace -ns": "=-?"},
        sub={
            "read unwrap": Spec("read", does="secret.read", flags="store"),
            "list status version path-help help print": "infra.read",
            "delete": Spec("delete", does="infra.destroy", flags="stored"),
            "kv": Spec(
                "kv",
                sub={
                    "get": Spec("get", does="secret.read", flags="store"),
                    "list": "infra.read",
                    "delete destroy": Spec("delete", does="infra.destroy", flags="stored"),
                    "metadata": Spec(
                        "metadata",
                        sub={
                            "get": "infra.read",
                            "delete": Spec("delete", does="infra.destroy", flags="stored"),
                            "*": "infra.change",
                        },
                    ),
                    "*": "infra.change",
                },
            ),
            "audit": Spec(
                "audit",
                sub={
                    "list": "infra.read",
                    "disable": Spec("disable", does="infra.change", flags="unguarded"),
                    "*": "infra.change",
                },
            ),
            "secrets auth": Spec(
                "secrets",
                sub={
                    "list": "infra.read",
                    "disable": Spec("disable", does="infra.destroy", flags="stored engine"),
                    "*": "infra.change",
                    "help": "infra.read",
                },
            ),
            "operator": Spec(
                "operator",
                sub={
                    "key-status members diagnose usage": "infra.read",
                    "seal step-down": Spec("seal", does="infra.change", flags="sealed"),
                    "init generate-root rekey rotate": Spec("init", does="infra.change", flags="credential"),
                    "raft": Spec(
                        "raft",
                        sub={
                            "list-peers autopilot": "infra.read",
                            "remove-peer": Spec("remove", does="infra.destroy", flags="cluster"),
                            "*": "infra.change",
                        },
                    ),
                    "*": "infra.change",
                },
            ),
            "token": Spec(
                "token",
                sub={
                    "lookup capabilities": "infra.read",
                    "create": Spec("create", does="infra.change", flags="credential"),
                    "*": "infra.change",
                },
            ),
            "policy": Spec(
                "policy",
                sub={
                    "list read fmt": "infra.read",
                    "write": Spec("write", does="infra.change", flags="granted"),
                    "delete": Spec("delete", does="infra.destroy", flags="identity"),
                    "*": "infra.change",
                },
            ),
            "lease": Spec(
                "lease",
                sub={
                    "lookup renew": "infra.read",
                    "revoke": Spec(
                        "revoke",
                        does="infra.change",
                        flags="detached",
                        options={"-prefix": "!infra.destroy +recursive", "-force": ""},
                    ),
                    "*": "infra.change",
                },
            ),
            "*": "infra.change",
            "": "infra.read",
        },
    ),
    Spec(
        "op bw pass gopass lpass keepassxc-cli rbw",
        sub={
            "whoami status signin login logout unlock lock sync version account vault update help ls find": "infra.read",
            "list": Spec(
                "list",
                sub={"items": Spec("items", does="secret.read", flags="store"), "*": "infra.read", "": "infra.read"},
            ),
            "item": Spec(
                "item",
                sub={
                    "list template": "infra.read",
                    "get": Spec("get", does="secret.read", flags="store"),
                    "delete": Spec("delete", does="infra.destroy", flags="stored"),
                    "*": "infra.change",
                },
            ),
            "get read show export document inject otp git-credential clip": Spec(
                "get", does="secret.read", flags="store"
            ),
            "run": Spec("run", operands="command", options={"--env-file --account": "=-", "--no-masking": ""}),
            "generate create edit insert add init mv cp move git": "infra.change",
            "delete rm remove": Spec("delete", does="infra.destroy", flags="stored"),
            "*": Spec("show", does="secret.read", flags="store"),
            "": "infra.read",
        },
    ),
    Spec(
        "sops",
        operands="fs.read*",
        options={
            "-d --decrypt": "!secret.read +store",
            "-e --encrypt": "",
            "-i --in-place": "",
            "--kms --pgp --age --output": "=-",
        },
        sub={},
    ),
    Spec(
        "secret-tool kwallet-query",
        sub={
            "store clear lock": "system.tune",
            "*": Spec("lookup", does="secret.read", operands="-*", flags="secret store"),
        },
    ),
    Spec(
        "dotenvx",
        sub={
            "run": Spec("run", operands="command", options={"-f --env-file -e --env": "=-"}),
            "get decrypt keypair": Spec("get", does="secret.read", operands="-*", flags="secret store"),
            "ls help": "system.read",
            "*": "fs.write",
        },
    ),
    Spec(
        "keytool",
        does="system.read",
        operands="-*",
        options={
            "-importkeystore": "!secret.read +store +keyring",
            "-delete": "!infra.destroy +key",
            "-genkeypair -genkey -genseckey -importcert -import -storepasswd -keypasswd": "!process.spawn",
            "-keystore -alias -file -storepass -keypass -srckeystore -destkeystore -deststoretype -srcstoretype": "=-",
        },
    ),
    Spec(
        "credstash berglas",
        sub={
            "list": "system.read",
            "put create update": "infra.change",
            "delete": "infra.destroy",
            "*": Spec("get", does="secret.read", operands="-*", flags="secret store"),
        },
    ),
)
