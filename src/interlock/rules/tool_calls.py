"""Tool calls: their effects at services, by the tool's verb, object and arguments."""

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
        "An order is placed, or a price is changed",
        'tool place_order {"sku": "A1"}',
        'tool get_order {"id": 1}',
    ),
    _rule(
        "content_published",
        "content.publish",
        "Anyone can read published content",
        'tool create_tweet {"text": "hi"}',
        "tool list_tweets {}",
    ),
    _rule(
        "document_shared",
        "document.share",
        "The document would be shared outside the organisation or with everyone",
        'tool share_document {"id": "d1", "visibility": "public"}',
        'tool get_document {"id": "d1"}',
    ),
    _rule(
        "data_exported",
        "data.export",
        "Personal or confidential data would be exported",
        "tool export_customers {}",
        "tool list_customers {}",
    ),
    _rule(
        "record_changed_widely",
        "record.change",
        "Many records are changed at once, or a record that people rely on",
        'tool update_final_grade {"student": "s1", "grade": "A"}',
        'tool update_task {"id": 1}',
        reversible=True,
    ),
    _rule(
        "record_deleted",
        "record.delete",
        "The deletion may be permanent",
        'tool delete_project {"id": 1}',
        'tool delete_comment {"id": 1}',
    ),
    _rule(
        "account_changed",
        "account.change",
        "A user or service account is created, changed or closed",
        'tool create_user {"email": "a@example.com"}',
        'tool get_user {"id": 1}',
        reversible=True,
    ),
    _rule(
        "access_granted",
        "access.grant",
        "Someone gets access or more permissions",
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
        "The device could injure people, cause damage or let someone in",
        "tool open_garage {}",
        "tool close_garage {}",
        reversible=True,
    ),
    _rule(
        "contract_signed",
        "contract.sign",
        "Signs, approves or submits something on the owner's behalf",
        'tool accept_offer {"id": 1}',
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
        "Sets up automation that acts later without asking",
        'tool create_webhook {"url": "https://example.com"}',
        "tool list_webhooks {}",
        reversible=True,
    ),
    _rule(
        "message_carries",
        "message.send",
        "The message goes to many people, or contains sensitive content",
        'tool send_email {"to": "all", "body": "hi"}',
        'tool send_message {"channel": "#team", "text": "hi"}',
    ),
)
