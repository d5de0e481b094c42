"""Clouds and infrastructure as code. Most clouds name their calls by verb, so the verb decides."""

from interlock.analyse.catalogue.spec import Spec

_TERRAFORM: dict[str, Spec | str] = {
    "plan validate fmt show output graph version providers console init get login": "infra.read",
    "workspace": "infra.change",
    "apply": Spec(
        "apply",
        does="infra.change",
        options={
            "-auto-approve --auto-approve": "+unattended",
            "-destroy --destroy": "!infra.destroy",
            "-var -var-file -target": "=-?",
        },
    ),
    "destroy": Spec("destroy", does="infra.destroy", options={"-auto-approve --auto-approve": "+unattended"}),
    "state": Spec("state", sub={"list show pull": "infra.read", "rm": "infra.destroy", "*": "infra.change"}),
    "import taint untaint refresh force-unlock": "infra.change",
    "*": "infra.change",
}

SPECS = (
    Spec(
        "aws gcloud az doctl ibmcloud oci hcloud linode-cli scw vultr-cli exo",
        does="infra.change",
        operands="-*",
    ),
    Spec("terraform tofu terragrunt", sub=_TERRAFORM, options={"-chdir": "=-"}),
    Spec(
        "pulumi",
        sub={
            "preview stack config whoami version about": "infra.read",
            "destroy": "infra.destroy",
            "up": "infra.change",
            "*": "infra.change",
        },
    ),
    Spec(
        "cdk sam serverless sls",
        sub={
            "synth diff list ls validate local": "infra.read",
            "destroy delete remove": "infra.destroy",
            "deploy": "deploy.release",
            "*": "infra.change",
        },
    ),
    Spec(
        "ansible ansible-playbook chef-client puppet salt",
        does="infra.change",
        operands="-*",
        options={"-i -m -a -e -u -l": "=-", "--check -C --list-hosts --syntax-check": "!infra.read"},
    ),
    Spec(
        "vercel netlify heroku fly flyctl railway wrangler firebase render surge eb cap",
        sub={
            "list ls logs whoami inspect status info version help env": "infra.read",
            "rm remove delete destroy apps:destroy": "infra.destroy",
            "dev": "process.spawn",
            "*": "deploy.release",
        },
    ),
    Spec(
        "vault",
        sub={
            "read list status": "secret.read",
            "delete": "infra.destroy",
            "kv": Spec("kv", sub={"get list": "secret.read", "delete destroy": "infra.destroy", "*": "infra.change"}),
            "*": "infra.change",
        },
    ),
    Spec("op bw pass", sub={"get read item show": "secret.read", "*": "secret.read"}),
    Spec(
        "packer vagrant",
        sub={"destroy": "infra.destroy", "validate status version": "infra.read", "*": "infra.change"},
    ),
)

#: The words of a cloud's call that tell what it does, the strictest first.
VERBS = (
    (
        "infra.destroy",
        frozenset("delete destroy terminate remove purge deregister rm rb detach revoke disable drop".split()),
    ),
    (
        "infra.change",
        frozenset(
            (
                "create update put modify set add attach start stop reboot run deploy import enable apply invoke send "
                "restore reset copy sync cp mv associate authorize register publish grant login configure"
            ).split()
        ),
    ),
    (
        "infra.read",
        frozenset(
            (
                "describe list get show ls head lookup search query view read check wait help version info status "
                "presign print whoami"
            ).split()
        ),
    ),
)
