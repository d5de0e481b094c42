"""Resources of services: which words of a command say that it is about a database, a key, a network, …"""

from __future__ import annotations

from functools import lru_cache

_WORDS = {
    "database": (
        "rds dynamodb db database databases sql cosmosdb redis spanner bigtable firestore elasticache redshift docdb "
        "neptune bigquery bq postgres postgresql mysql mariadb mongodb memcache memorydb keyspaces timestream dbaas "
        "table tables dataset datasets pg alloydb datastore opensearch kusto d1 kv hyperdrive valkey cassandra "
        "mongo autonomous-database collection collections index-data realtime-database"
    ),
    "storage": (
        "s3 s3api bucket buckets rb storage blob blobs volume volumes disk disks efs fsx file-system share shares "
        "glacier archive object objects filestore spaces block-storage file-share ebs r2 snapshots-data pvc lightsail-disk"
    ),
    "identity": (
        "iam user users role roles policy policies identity identities ad sp cognito cognito-idp login-profile "
        "principal membership member members sso saml-provider service-account service-accounts access team"
    ),
    "key": (
        "kms key keys keyring keyrings key-pair access-key certificate certificates cert certs acm ssh-key ssh-keys "
        "sshkey keyvault managed-hsm gpg-key deploy-key token tokens api-key api-keys apikey credential credentials"
    ),
    "stored": "secret secrets secretsmanager parameter parameters",
    "network": (
        "vpc vpcs vnet subnet subnets security-group security-groups nsg network networks firewall firewalls "
        "firewall-rule firewall-rules route-table gateway load-balancer load-balancers lb elb elbv2 nat address "
        "public-ip nic peering ip ips vpn transit-gateway internet-gateway forwarding-rules nodebalancers"
    ),
    "dns": (
        "route53 route53domains hosted-zone dns zone zones record-set record-sets domain domains record records "
        "managed-zones dns-record"
    ),
    "log": (
        "logs log-group log-stream cloudtrail trail trails logging log log-analytics flow-logs sink sinks monitor "
        "diagnostic-settings alarm alarms cloudwatch monitoring alert alerts log-profiles drain drains event-data-store"
    ),
    "guard": (
        "guardduty detector securityhub macie2 inspector2 access-analyzer waf wafv2 web-acl shield configservice "
        "configuration-recorder delivery-channel lock locks defender mfa-device virtual-mfa-device ruleset "
        "rulesets public-access-block permissions-boundary"
    ),
    "backup": (
        "backup backups snapshot snapshots recovery-point recovery-points restore-point restore-points backup-vault "
        "db-snapshot db-cluster-snapshot automated-backups backup-plan backup-runs"
    ),
    "cluster": (
        "eks ecs aks gke cluster clusters kubernetes k8s sks ks lke emr nodegroup nodepool node-pool node-pools "
        "kapsule managed-kubernetes"
    ),
    "compute": (
        "ec2 instance instances vm vms vmss droplet droplets server servers linode linodes lightsail autoscaling "
        "auto-scaling-group machine machines virtual-machine"
    ),
    "service": (
        "lambda function functions functionapp app apps webapp service services site sites containerapp appservice "
        "hosting deployment deployments worker workers distribution api apis environment environments"
    ),
    "project": (
        "project projects organization organizations subscription resource-group folder folders stack stacks "
        "stack-set tenant org space workspace"
    ),
    "queue": "sqs queue queues topic topics sns pubsub eventhub eventhubs servicebus stream streams kinesis mq",
    "registry": "ecr acr repository repositories registry artifact artifacts image images ami repo package packages",
}

#: Word → what it is about.
CLASSES: dict[str, str] = {word: name for name, words in _WORDS.items() for word in words.split()}


@lru_cache(maxsize=1024)
def classes_of(words: tuple[str, ...]) -> frozenset[str]:
    """Return what a command's words are about: a whole word, what follows its verb, or the parts of it.

    >>> sorted(classes_of(("ec2", "delete-route-table")))
    ['compute', 'network']
    """
    found = set()
    for word in words:
        name = CLASSES.get(word) or CLASSES.get(word.partition("-")[2])
        found |= {name} if name else {CLASSES[part] for part in word.split("-") if part in CLASSES}
    return frozenset(found)
