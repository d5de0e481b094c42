"""Amazon Web Services: rules beyond those for all clouds."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "aws",
    Rule(
        name="aws_audit_off",
        level=Level.CRITICAL,
        when=effect("infra.change infra.destroy", "aws", "unguarded", "log"),
        reason="Without its audit trail, nobody can tell what happened in the account",
        reversible=False,
        match=[
            "$ aws cloudtrail stop-logging --name t",
            "$ aws cloudtrail delete-trail --name t",
            "$ aws logs delete-log-group --log-group-name g",
        ],
        no_match=["$ aws cloudtrail lookup-events", "$ aws logs tail g"],
    ),
    Rule(
        name="aws_detection_off",
        level=Level.HIGH,
        when=effect("infra.change infra.destroy", "aws", "unguarded", "guard"),
        reason="Attacks on the account would go unnoticed",
        match=[
            "$ aws guardduty delete-detector --detector-id d",
            "$ aws securityhub disable-security-hub",
            "$ aws configservice stop-configuration-recorder --configuration-recorder-name r",
        ],
        no_match=["$ aws guardduty list-detectors", "$ aws securityhub get-findings"],
    ),
    Rule(
        name="aws_protection_off",
        level=Level.HIGH,
        when=effect("infra.change", "aws", "unguarded", without="log guard"),
        reason="Deletion protection, backups and old versions make mistakes recoverable",
        match=[
            "$ aws rds modify-db-instance --db-instance-identifier db --no-deletion-protection",
            "$ aws s3api put-bucket-versioning --bucket b --versioning-configuration Status=Suspended",
            "$ aws rds modify-db-instance --db-instance-identifier db --backup-retention-period 0",
        ],
        no_match=[
            "$ aws rds modify-db-instance --db-instance-identifier db --backup-retention-period 7",
            "$ aws s3api put-bucket-versioning --bucket b --versioning-configuration Status=Enabled",
        ],
    ),
    Rule(
        name="aws_identity_takeover",
        level=Level.HIGH,
        when=effect("infra.change", "aws", "credential", "identity"),
        reason="Anyone with this key or password can act as that user",
        match=[
            "$ aws iam create-access-key --user-name u",
            "$ aws iam update-login-profile --user-name u --password p",
        ],
        no_match=["$ aws iam get-user", "$ aws iam create-user --user-name u"],
    ),
    Rule(
        name="aws_organization_left",
        level=Level.CRITICAL,
        when=effect("infra.destroy", "aws", "project"),
        reason="A closed account or organization cannot be reopened at will",
        reversible=False,
        match=["$ aws organizations leave-organization", "$ aws organizations close-account --account-id 1"],
        no_match=["$ aws organizations list-accounts", "$ aws s3 rm s3://b/x"],
    ),
    Rule(
        name="aws_snapshot_shared",
        level=Level.HIGH,
        when=effect("infra.change", "aws", "public", "backup"),
        reason="A public snapshot exposes the whole disk or database",
        reversible=False,
        match=[
            "$ aws ec2 modify-snapshot-attribute --snapshot-id s --operation-type add --group-names all",
            "$ aws rds modify-db-snapshot-attribute --db-snapshot-identifier s --attribute-name restore --values-to-add all",
        ],
        no_match=["$ aws ec2 describe-snapshot-attribute --snapshot-id s --attribute createVolumePermission"],
    ),
    Rule(
        name="aws_secret_read",
        level=Level.HIGH,
        when=effect("secret.read", "aws"),
        reason="A secret of the account would be printed",
        match=[
            "$ aws secretsmanager get-secret-value --secret-id s",
            "$ aws ssm get-parameter --name p --with-decryption",
            "$ aws configure export-credentials",
        ],
        no_match=["$ aws secretsmanager list-secrets", "$ aws ssm get-parameter --name p"],
    ),
    Rule(
        name="aws_stack_deleted",
        level=Level.HIGH,
        when=effect("infra.destroy", "aws", "stack"),
        reason="Deleting a stack deletes every resource in it",
        reversible=False,
        instead="aws cloudformation describe-stacks",
        match=[
            "$ aws cloudformation delete-stack --stack-name s",
            "$ aws cloudformation delete-stack-set --stack-set-name s",
        ],
        no_match=["$ aws cloudformation list-stacks", "$ aws cloudformation describe-stacks"],
    ),
)
