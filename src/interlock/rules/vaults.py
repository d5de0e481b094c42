"""Secret managers: showing, sealing or switching off."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "vaults",
    Rule(
        name="vault_secret_read",
        level=Level.HIGH,
        when=effect("secret.read", "store", without="aws gcloud azure cluster forge platform"),
        reason="A secret would be printed from its store",
        match=[
            "$ vault kv get secret/app",
            "$ op read op://team/api/token",
            "$ pass show web",
            "$ sops -d s.yaml",
        ],
        no_match=["$ vault kv list secret", "$ op item list", "$ bw status"],
    ),
    Rule(
        name="cluster_secret_read",
        level=Level.HIGH,
        when=effect("secret.read", "store", "cluster"),
        reason="A secret of the cluster would be printed: it is encoded, not encrypted",
        match=["$ kubectl get secret s -o yaml", "$ kubectl get secrets -o json", "$ nomad var get app"],
        no_match=["$ kubectl get secrets", "$ kubectl get secret s -o name", "$ kubectl describe secret s"],
    ),
    Rule(
        name="forge_token_read",
        level=Level.HIGH,
        when=effect("secret.read", "forge"),
        reason="The printed token can act as you on the forge",
        instead="gh auth status",
        match=["$ gh auth token", "$ glab auth token"],
        no_match=["$ gh auth status"],
    ),
    Rule(
        name="platform_secret_read",
        level=Level.HIGH,
        when=effect("secret.read", "platform", without="gcloud"),
        reason="The app's settings contain its keys and passwords",
        match=["$ heroku config -a web", "$ fly auth token", "$ railway variables"],
        no_match=["$ heroku logs -a web", "$ fly secrets list", "$ vercel env ls"],
    ),
    Rule(
        name="vault_engine_disabled",
        level=Level.CRITICAL,
        when=effect("infra.destroy", "engine"),
        reason="Disabling an engine deletes every secret in it",
        reversible=False,
        instead="vault secrets list",
        match=["$ vault secrets disable kv", "$ vault auth disable userpass"],
        no_match=["$ vault secrets list", "$ vault secrets enable kv"],
    ),
    Rule(
        name="vault_sealed",
        level=Level.HIGH,
        when=effect("infra.change", "sealed"),
        reason="A sealed vault serves no secrets until it is unsealed",
        match=["$ vault operator seal", "$ vault operator step-down"],
        no_match=["$ vault status", "$ vault operator members"],
    ),
    Rule(
        name="vault_decrypted",
        level=Level.HIGH,
        when=effect("infra.change", "decrypted"),
        reason="The file would be left on disk in plain text",
        match=["$ ansible-vault decrypt group_vars/all.yml", "$ ansible-vault decrypt --vault-id x secrets.yml"],
        no_match=["$ ansible-vault encrypt group_vars/all.yml"],
    ),
)
