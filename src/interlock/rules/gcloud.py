"""Google Cloud: rules beyond those for all clouds."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "gcloud",
    Rule(
        name="gcloud_secret_read",
        level=Level.HIGH,
        when=effect("secret.read", "gcloud"),
        reason="A secret of the project would be printed",
        instead="gcloud secrets list",
        match=["$ gcloud secrets versions access latest --secret=s", "$ firebase functions:secrets:access KEY"],
        no_match=["$ gcloud secrets list", "$ gcloud secrets versions list s"],
    ),
    Rule(
        name="gcloud_service_account_key",
        level=Level.HIGH,
        when=effect("infra.change", "gcloud", "credential", "key"),
        reason="A service account key does not expire and works from anywhere",
        match=[
            "$ gcloud iam service-accounts keys create k.json --iam-account=a@p.iam.gserviceaccount.com",
            "$ gcloud compute os-login ssh-keys add --key=k",
        ],
        no_match=["$ gcloud iam service-accounts keys list --iam-account=a@p.iam.gserviceaccount.com"],
    ),
    Rule(
        name="gcloud_policy_replaced",
        level=Level.HIGH,
        when=effect("infra.change", "gcloud", "granted", "replaced"),
        reason="Replacing the whole policy locks out everyone it does not name",
        match=["$ gcloud projects set-iam-policy p policy.json", "$ gsutil iam set policy.json gs://b"],
        no_match=["$ gcloud projects get-iam-policy p"],
    ),
    Rule(
        name="gcloud_instance_access",
        level=Level.HIGH,
        when=effect("infra.change", "gcloud", "credential", "compute"),
        reason="The holder of the added key can sign in to the machine",
        match=[
            "$ gcloud compute instances add-metadata web --metadata=ssh-keys=a",
            "$ gcloud compute instances create web --metadata ssh-keys=a",
        ],
        no_match=["$ gcloud compute instances add-metadata web --metadata=color=blue"],
    ),
    Rule(
        name="gcloud_protection_off",
        level=Level.HIGH,
        when=effect("infra.change", "gcloud", "unguarded", without="log"),
        reason="Backups, versions and deletion protection make mistakes recoverable",
        match=[
            "$ gcloud sql instances patch db --no-backup",
            "$ gcloud compute instances update web --no-deletion-protection",
            "$ gsutil versioning set off gs://b",
        ],
        no_match=["$ gcloud sql instances patch db --backup-start-time=03:00"],
    ),
    Rule(
        name="firestore_deleted",
        level=Level.CRITICAL,
        when=effect("infra.destroy", "gcloud", "database", "recursive"),
        reason="Every document below would be deleted",
        reversible=False,
        match=["$ firebase firestore:delete --all-collections", "$ firebase firestore:delete users --recursive"],
        no_match=["$ firebase firestore:indexes", "$ firebase deploy"],
    ),
)
