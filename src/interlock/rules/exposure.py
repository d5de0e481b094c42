"""Clouds of all providers: opening, granting, showing something or leaving it unprotected."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "exposure",
    Rule(
        name="cloud_public_storage",
        level=Level.HIGH,
        when=effect("infra.change infra.destroy", "public", "storage"),
        reason="Anyone on the internet could read what is stored there",
        reversible=False,
        match=[
            "$ aws s3api put-bucket-acl --bucket b --acl public-read",
            "$ gsutil iam ch allUsers:objectViewer gs://b",
            "$ aws s3api delete-public-access-block --bucket b",
            "$ az storage container set-permission -n c --public-access blob",
        ],
        no_match=["$ aws s3api put-bucket-acl --bucket b --acl private", "$ aws s3 ls"],
    ),
    Rule(
        name="cloud_public",
        level=Level.HIGH,
        when=effect("infra.change deploy.release", "public", without="storage"),
        reason="Anyone on the internet could reach it",
        match=[
            "$ aws ec2 authorize-security-group-ingress --group-id g --port 22 --cidr 0.0.0.0/0",
            "$ gcloud compute firewall-rules create f --allow tcp:22 --source-ranges=0.0.0.0/0",
            "$ gcloud run services add-iam-policy-binding web --member=allUsers --role=roles/run.invoker",
        ],
        no_match=[
            "$ aws ec2 authorize-security-group-ingress --group-id g --port 22 --cidr 10.0.0.0/8",
            "$ aws ec2 revoke-security-group-ingress --group-id g --cidr 0.0.0.0/0",
            "$ aws ec2 create-route --route-table-id r --destination-cidr-block 0.0.0.0/0",
        ],
    ),
    Rule(
        name="cloud_granted",
        level=Level.HIGH,
        when=effect("infra.change infra.destroy", "granted"),
        reason="Somebody would get more access",
        match=[
            "$ aws iam attach-user-policy --user-name u --policy-arn arn:aws:iam::aws:policy/ReadOnlyAccess",
            "$ gcloud projects add-iam-policy-binding p --member=user:a@example.com --role=roles/viewer",
            "$ az role assignment create --assignee a --role Reader",
            "$ vault policy write app app.hcl",
        ],
        no_match=["$ aws iam list-attached-user-policies --user-name u", "$ az role assignment list"],
    ),
    Rule(
        name="cloud_granted_everything",
        level=Level.CRITICAL,
        when=effect("infra.change", "granted", "admin"),
        reason="Somebody would get full access to the account",
        match=[
            "$ aws iam attach-user-policy --user-name u --policy-arn arn:aws:iam::aws:policy/AdministratorAccess",
            "$ gcloud projects add-iam-policy-binding p --member=user:a@example.com --role=roles/owner",
            "$ az role assignment create --assignee a --role Owner",
        ],
        no_match=["$ az role assignment create --assignee a --role Reader"],
    ),
    Rule(
        name="cloud_credential_made",
        level=Level.HIGH,
        when=effect("infra.change", "credential"),
        reason="A new key or password grants access until it is revoked",
        match=[
            "$ aws iam create-access-key --user-name u",
            "$ gcloud iam service-accounts keys create k.json --iam-account=sa@p.iam.gserviceaccount.com",
            "$ az ad sp create-for-rbac",
            "$ vault token create",
        ],
        no_match=["$ aws iam list-access-keys", "$ aws iam create-user --user-name u"],
    ),
    Rule(
        name="cloud_session_shown",
        level=Level.HIGH,
        when=effect("infra.read infra.change", "session", without="store"),
        reason="A temporary token or key for the account would be printed",
        eased={"captured": Level.MEDIUM},
        match=[
            "$ gcloud auth print-access-token",
            "$ az storage account keys list -n a",
            "$ aws sts get-session-token",
        ],
        no_match=["$ gcloud auth list", "$ aws sts get-caller-identity"],
    ),
    Rule(
        name="cloud_guard_off",
        level=Level.HIGH,
        when=effect("infra.change infra.destroy", "unguarded"),
        reason="Logging, detection or protection would be disabled",
        match=[
            "$ aws cloudtrail stop-logging --name t",
            "$ az lock delete -n l -g rg",
            "$ gcloud logging sinks delete s",
            "$ gsutil versioning set off gs://b",
        ],
        no_match=["$ aws cloudtrail describe-trails", "$ az lock list", "$ gcloud logging sinks list"],
    ),
    Rule(
        name="cloud_remote_run",
        level=Level.HIGH,
        when=effect("infra.change infra.read", "remote_run"),
        reason="A command would run on machines in the cloud",
        match=[
            "$ aws ssm send-command --document-name AWS-RunShellScript --targets Key=tag:a,Values=b",
            "$ az vm run-command invoke -n vm -g rg --command-id RunShellScript --scripts 'rm -r /srv/app'",
            "$ fly machine exec 1 'ls'",
        ],
        no_match=[
            "$ aws ssm list-commands",
            "$ az vm list",
            "$ gcloud compute ssh web",
            "$ az aks command invoke -n c -g rg --command 'kubectl get pods'",
        ],
    ),
)
