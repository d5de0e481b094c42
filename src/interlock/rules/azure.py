"""Microsoft Azure: rules beyond those for all clouds."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "azure",
    Rule(
        name="azure_secret_read",
        level=Level.HIGH,
        when=effect("secret.read", "azure"),
        reason="A secret of the vault would be printed",
        match=[
            "$ az keyvault secret show -n s --vault-name v",
            "$ az keyvault secret download -n s --vault-name v -f x",
        ],
        no_match=["$ az keyvault secret list --vault-name v", "$ az keyvault show -n v"],
    ),
    Rule(
        name="azure_lock_removed",
        level=Level.HIGH,
        when=effect("infra.destroy", "azure", "guard"),
        reason="The lock prevents accidental deletion",
        instead="az lock list",
        match=["$ az lock delete -n l -g rg", "$ az account lock delete -n l"],
        no_match=["$ az lock list", "$ az lock show -n l"],
    ),
    Rule(
        name="azure_audit_off",
        level=Level.HIGH,
        when=effect("infra.destroy infra.change", "azure", "unguarded", "log"),
        reason="Without diagnostic and activity logs, nobody can tell what happened",
        match=[
            "$ az monitor diagnostic-settings delete -n d --resource r",
            "$ az monitor log-analytics workspace delete -n w -g rg",
        ],
        no_match=["$ az monitor activity-log list", "$ az monitor diagnostic-settings list --resource r"],
    ),
    Rule(
        name="azure_principal_credential",
        level=Level.HIGH,
        when=effect("infra.change", "azure", "credential", "identity"),
        reason="The password of a service principal signs in without a person or a second factor",
        match=["$ az ad sp create-for-rbac -n ci", "$ az ad app credential reset --id 1"],
        no_match=["$ az ad sp list", "$ az ad app show --id 1"],
    ),
    Rule(
        name="azure_protection_off",
        level=Level.HIGH,
        when=effect("infra.change", "azure", "unguarded", without="log guard"),
        reason="Soft delete, versions and backups make mistakes recoverable",
        match=[
            "$ az storage account blob-service-properties update -n a --enable-delete-retention false",
            "$ az backup protection disable --item-name i",
        ],
        no_match=[
            "$ az backup protection enable-for-vm --vm v",
            "$ az storage account update -n a --enable-versioning true",
        ],
    ),
    Rule(
        name="azure_request_deletes",
        level=Level.HIGH,
        when=effect("infra.destroy", "azure", "destroys"),
        reason="A raw request would delete whatever is at that address",
        reversible=False,
        match=[
            "$ az rest --method delete --url https://management.azure.com/subscriptions/1",
            "$ az backup protection disable --item-name i --delete-backup-data true",
        ],
        no_match=["$ az rest --method get --url https://management.azure.com/subscriptions/1"],
    ),
    Rule(
        name="azure_purged",
        level=Level.CRITICAL,
        when=effect("infra.destroy", "azure", "purged"),
        reason="Purged data cannot be recovered, not even by the provider",
        reversible=False,
        match=["$ az keyvault purge -n v", "$ az keyvault secret purge -n s --vault-name v"],
        no_match=["$ az keyvault recover -n v", "$ az keyvault list-deleted"],
    ),
)
