"""Services that a program's own code changes through their client libraries."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "clients",
    Rule(
        name="client_changes_service",
        level=Level.HIGH,
        when=effect("infra.change cluster.change", "library"),
        reason="The code changes a service that others depend on",
        match=[
            ">>> import boto3; boto3.client('iam').attach_role_policy(RoleName='web', PolicyArn='a')",
            ">>> from kubernetes import client; client.AppsV1Api().patch_namespaced_deployment('web', 'shop', {})",
            ">>> from okta_admin import Directory; Directory().reset_mfa('u1')",
        ],
        no_match=[
            ">>> import boto3; boto3.client('iam').list_roles()",
            ">>> import boto3; boto3.client('s3', endpoint_url='http://localhost:4566').create_bucket(Bucket='b')",
            ">>> from okta_admin import Directory; Directory().users(group='engineering')",
        ],
    ),
    Rule(
        name="message_to_many",
        level=Level.HIGH,
        when=effect("message.send", "many", without="routine rehearsed"),
        reason="Messages would reach many people in the owner's name",
        reversible=False,
        match=[
            ">>> from twilio.rest import Client\nfor row in rows:\n    Client().messages.create(to=row, body='x')",
            ">>> from mailblast import Campaigns; Campaigns(api_key='k').send_to_all(list_id='customers')",
        ],
        no_match=[
            ">>> from twilio.rest import Client; Client().messages.create(to='+4912345', body='x')",
            ">>> from mailblast import Campaigns; Campaigns(api_key='k').render_preview(template='draft.html')",
        ],
    ),
)
