"""Programs that keep keys and tell the environment."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "gpg gpg2",
        does="system.read",
        operands="fs.read*",
        options={
            "--export-secret-keys --export-secret-subkeys --export-ssh-key": "!secret.read",
            "--delete-secret-keys --delete-keys --delete-secret-and-public-key": "!system.change",
            "--export --list-secret-keys": "",
            "-o --output": "=fs.write",
            "-r --recipient -u --local-user --keyserver --passphrase --homedir --status-fd --trust-model": "=-",
        },
    ),
    Spec("printenv", does="env.read", operands="env.read*"),
)
