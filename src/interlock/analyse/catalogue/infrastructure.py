"""Infrastructure as code and configuration management."""

from interlock.analyse.catalogue.spec import Spec

_PLAN = {
    "-var -var-file --var --var-file -target --target -replace --replace -state --state -lock-timeout": "=-?",
    "-help --help": "!infra.read",
}
_UNATTENDED = {
    "-auto-approve --auto-approve": "+unattended",
    "--terragrunt-non-interactive --non-interactive": "+unattended",
}
_DESTROY = Spec("destroy", does="infra.destroy", flags="stack", options={**_PLAN, **_UNATTENDED})
_APPLY = Spec(
    "apply",
    does="infra.change",
    flags="stack",
    options={**_PLAN, **_UNATTENDED, "-destroy --destroy": "!infra.destroy"},
)
_TERRAFORM: dict[str, Spec | str] = {
    "output": Spec(
        "output", does="infra.read", operands="env.read", options={"-json -raw -no-color": "", "-state": "=-?"}
    ),
    "init": Spec("init", does="infra.read", options={"-force-copy": "!infra.change +state_replaced"}),
    "plan validate fmt show graph version providers console get login logout metadata modules test hclfmt hcl find list": Spec(
        "plan", does="infra.read"
    ),
    "apply": _APPLY,
    "destroy": _DESTROY,
    "run-all run": Spec(
        "run-all",
        options=_UNATTENDED,
        sub={"apply": _APPLY, "destroy": _DESTROY, "plan output validate init": "infra.read", "*": "infra.change"},
    ),
    "apply-all": _APPLY,
    "destroy-all": _DESTROY,
    "state": Spec(
        "state",
        sub={
            "list show pull identities": "infra.read",
            "rm": Spec(
                "rm",
                does="infra.destroy",
                flags="state",
                options={"-dry-run": "!infra.read", "-help --help": "!infra.read"},
            ),
            "push": Spec("push", does="infra.change", flags="state_replaced"),
            "*": "infra.change",
        },
    ),
    "workspace": Spec(
        "workspace",
        sub={
            "list show select": "infra.read",
            "delete": Spec("delete", does="infra.destroy", flags="state", options={"-help --help": "!infra.read"}),
            "*": "infra.change",
        },
    ),
    "force-unlock": Spec(
        "force-unlock", does="infra.change", flags="unlocked", options={"-force": "", "-help --help": "!infra.read"}
    ),
    "taint": Spec("taint", does="infra.change", flags="tainted", options={"-help --help": "!infra.read"}),
    "import untaint refresh": Spec("import", does="infra.change", options={"-help --help": "!infra.read"}),
    "-help --help -version -v help": "infra.read",
    "*": "infra.change",
    "": "infra.read",
}
_ANSIBLE = {
    "-i --inventory --inventory-file -e --extra-vars -u --user -l --limit -f --forks --vault-password-file --vault-id --private-key -t --tags --skip-tags -c --connection -M --module-path -o --tree -T --timeout --become-user --become-method": "=-",
    "-b --become": "",
    "-C --check --list-hosts --syntax-check --list-tasks --list-tags --version --help": "!infra.read",
    "-v -vv -vvv -vvvv -k -K --ask-pass --ask-become-pass --diff -D --flush-cache": "",
}

SPECS = (
    Spec("terraform tofu terragrunt", sub=_TERRAFORM, options={"-chdir --terragrunt-working-dir --working-dir": "=-"}),
    Spec(
        "pulumi",
        options={"-C --cwd --color": "=-", "-s --stack": "=-", "-y --yes": "+unattended"},
        sub={
            "preview pre whoami version about logs gen-completion plugin schema console help watch": "infra.read",
            "destroy down": Spec(
                "destroy",
                does="infra.destroy",
                flags="stack",
                options={
                    "-y --yes -f --skip-preview": "+unattended",
                    "-s --stack -t --target": "=-",
                    "--preview-only": "!infra.read",
                },
            ),
            "up update": Spec(
                "up",
                does="infra.change",
                flags="stack",
                options={"-y --yes -f --skip-preview": "+unattended", "-s --stack -t --target -m --message": "=-"},
            ),
            "stack": Spec(
                "stack",
                sub={
                    "rm": Spec(
                        "rm",
                        does="infra.destroy",
                        flags="state",
                        options={"-y --yes -f --force": "", "-s --stack": "=-"},
                    ),
                    "ls output history graph tag select": Spec(
                        "ls", does="infra.read", options={"--show-secrets": "!secret.read +store"}
                    ),
                    "export": Spec("export", does="infra.read", options={"--show-secrets": "!secret.read +store"}),
                    "import": Spec("import", does="infra.change", flags="state_replaced"),
                    "*": "infra.change",
                    "": "infra.read",
                },
            ),
            "state": Spec(
                "state",
                sub={
                    "delete": Spec("delete", does="infra.destroy", flags="state", options={"-y --yes": ""}),
                    "*": "infra.change",
                },
            ),
            "config": Spec(
                "config",
                options={"--show-secrets": "!secret.read +store"},
                sub={
                    "get": "infra.read",
                    "set rm set-all rm-all cp refresh": "infra.change",
                    "*": "infra.read",
                    "": "infra.read",
                },
            ),
            "cancel": Spec("cancel", does="infra.change", flags="unlocked"),
            "*": "infra.change",
            "": "infra.read",
        },
    ),
    Spec(
        "cdk cdktf sam serverless sls sst",
        options={"-a --app --profile -c --context --region --stage -s": "=-", "--help": "!infra.read"},
        sub={
            "synth synthesize diff list ls validate local docs doc doctor metadata context acknowledge ack notices print info invoke:local --version": Spec(
                "synth", does="infra.read"
            ),
            "destroy delete remove": Spec(
                "destroy",
                does="infra.destroy",
                flags="stack",
                options={"-f --force --auto-approve --no-prompts": "+unattended", "--help": "!infra.read"},
            ),
            "deploy": Spec(
                "deploy",
                does="deploy.release",
                options={"--require-approval": "=-", "--parameters --stack-name": "=-", "--help": "!infra.read"},
            ),
            "invoke logs metrics rollback watch dev init import migrate bootstrap gc build package pipeline publish sync refactor": "infra.change",
            "*": "infra.change",
            "": "infra.read",
        },
    ),
    Spec(
        "ansible",
        operands="-*",
        does="infra.change",
        flags="fleet",
        options={**_ANSIBLE, "-m --module-name": "=-", "-a --args": "=-"},
    ),
    Spec(
        "ansible-playbook ansible-console ansible-navigator",
        operands="-*",
        does="infra.change",
        flags="playbook",
        options=_ANSIBLE,
    ),
    Spec(
        "ansible-pull",
        operands="-*",
        does="infra.change",
        flags="pulled",
        options={
            **_ANSIBLE,
            "-U --url -d --directory -s --sleep": "=-",
            "--help --version --list-hosts": "!infra.read",
        },
    ),
    Spec("ansible-doc ansible-inventory ansible-config ansible-lint molecule", operands="-*", does="infra.read"),
    Spec(
        "ansible-galaxy",
        sub={
            "list search info verify": "package.read",
            "role collection": Spec(
                "role",
                sub={
                    "list search info verify init": "package.read",
                    "install download": "package.install*",
                    "remove delete": "package.remove*",
                    "publish": "package.publish",
                    "*": "infra.change",
                },
            ),
            "install": "package.install*",
            "remove delete": "package.remove*",
            "*": "infra.change",
        },
    ),
    Spec(
        "ansible-vault",
        options={"--vault-password-file --vault-id": "=-"},
        sub={
            "view": Spec("view", does="secret.read", flags="store"),
            "decrypt": Spec("decrypt", does="infra.change", flags="decrypted"),
            "encrypt encrypt_string create edit rekey": "infra.change",
            "*": "infra.change",
        },
    ),
    Spec(
        "chef-client chef-solo chef-apply puppet cfn-lint bolt cf-agent",
        does="infra.change",
        operands="-*",
        options={"--noop --why-run -W": "!infra.read", "-o -j -c -e -E": "=-"},
    ),
    Spec(
        "knife",
        options={"-c --config -E --environment": "=-", "-y --yes": ""},
        sub={
            "ssh": Spec("ssh", operands="- code:shell", does="infra.change", flags="fleet", options={"-x -P -i": "=-"}),
            "node client role cookbook environment": Spec(
                "node",
                sub={
                    "list show": "infra.read",
                    "delete bulk": Spec("delete", does="infra.destroy", flags="config"),
                    "*": "infra.change",
                },
            ),
            "search status diff list show": "infra.read",
            "*": "infra.change",
        },
    ),
    Spec(
        "salt salt-ssh",
        operands="-*",
        does="infra.change",
        flags="fleet",
        options={"-C -G -L -E -N -t --out -c -l": "=-?"},
    ),
    Spec(
        "salt-call salt-run salt-cloud", operands="-*", does="infra.change", options={"-l --log-level --out -c": "=-"}
    ),
    Spec(
        "salt-key",
        operands="-*",
        does="infra.change",
        options={"-L --list-all -l --list": "!infra.read", "-d --delete -D --delete-all": "!infra.destroy +key"},
    ),
    Spec(
        "packer",
        sub={
            "validate inspect fmt version console plugins hcl2_upgrade fix init": "infra.read",
            "build": Spec(
                "build",
                does="infra.change",
                flags="image",
                options={"-var -var-file -only -except": "=-?", "-force": ""},
            ),
            "*": "infra.change",
            "": "infra.read",
        },
    ),
)
