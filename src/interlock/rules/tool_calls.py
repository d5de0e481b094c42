"""Tool calls: what they do at services, by the tool's verb and object and by what it is given."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

_HARMLESS = "routine rehearsed"


def _rule(name: str, kind: str, reason: str, match: str, no_match: str, *, reversible: bool = False) -> Rule:
    return Rule(
        name=name,
        level=Level.HIGH,
        when=effect(kind, "by_tool", without=_HARMLESS),
        reason=reason,
        reversible=reversible,
        match=[match],
        no_match=[no_match],
    )


RULES = family(
    "tool_calls",
    _rule(
        "order_placed",
        "order.place",
        "Goods or services are ordered, or prices change",
        'tool place_order {"sku": "A1"}',
        'tool get_order {"id": 1}',
    ),
    _rule(
        "content_published",
        "content.publish",
        "Everyone can read what is published",
        'tool create_tweet {"text": "hi"}',
        "tool list_tweets {}",
    ),
    _rule(
        "document_shared",
        "document.share",
        "Outsiders or everyone could read the document",
        'tool share_document {"id": "d1", "visibility": "public"}',
        'tool get_document {"id": "d1"}',
    ),
    _rule(
        "data_exported",
        "data.export",
        "People's data or confidential records leave the service",
        "tool export_customers {}",
        "tool list_customers {}",
    ),
    _rule(
        "record_changed_widely",
        "record.change",
        "More than one ordinary record is changed, or something sensitive in it",
        'tool update_tasks {"ids": "all"}',
        'tool update_task {"id": 1}',
        reversible=True,
    ),
    _rule(
        "record_deleted",
        "record.delete",
        "The record cannot be brought back",
        'tool delete_project {"id": 1}',
        'tool delete_comment {"id": 1}',
    ),
    _rule(
        "account_changed",
        "account.change",
        "Somebody's account is created, changed or removed",
        'tool create_user {"email": "a@example.com"}',
        'tool get_user {"id": 1}',
        reversible=True,
    ),
    _rule(
        "access_granted",
        "access.grant",
        "Somebody gets access or rights",
        'tool add_member {"user": "ann", "role": "admin"}',
        'tool add_member {"user": "ann", "role": "viewer"}',
        reversible=True,
    ),
    _rule(
        "security_lowered",
        "security.lower",
        "A protection is weakened or removed",
        'tool delete_branch_protection {"branch": "main"}',
        'tool get_branch_protection {"branch": "main"}',
        reversible=True,
    ),
    _rule(
        "device_operated",
        "device.operate",
        "People or property depend on the device",
        "tool open_garage {}",
        'tool turn_on_light {"room": "hall"}',
        reversible=True,
    ),
    _rule(
        "contract_signed",
        "contract.sign",
        "The document becomes binding",
        'tool sign_contract {"id": 1}',
        'tool get_contract {"id": 1}',
    ),
    _rule(
        "appointment_made",
        "appointment.make",
        "Many people or outsiders are invited",
        'tool create_event {"attendees": "all"}',
        'tool create_event {"title": "Lunch"}',
        reversible=True,
    ),
    _rule(
        "automation_installed",
        "automation.install",
        "Something is set up that acts by itself later",
        'tool create_webhook {"url": "https://example.com"}',
        "tool list_webhooks {}",
        reversible=True,
    ),
    _rule(
        "message_carries",
        "message.send",
        "The message reaches many people, or carries something that is not for everyone",
        'tool send_email {"to": "all", "body": "hi"}',
        'tool send_message {"channel": "#team", "text": "hi"}',
    ),
)
