"""What a statement means by the names of its tables: trails that are rewritten, agents' rules, people's lives.

A database says nothing about a table but its name and its columns. Some names are the same everywhere: `audit_log` is
only ever added to, `agent_policies` says what an agent may do, `private_messages` is read about somebody.
"""

from __future__ import annotations

from msgspec.structs import replace

from interlock.analyse.other_agents.instructions import is_hidden_order, is_poisoned
from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.exhaustion import is_endless, is_short_wait
from interlock.analyse.sql.registry_tables import report_registry
from interlock.patterns import late

_CHANGES = frozenset({"db.write", "db.delete", "db.drop", "db.alter"})
_AGENT = frozenset({"agent_config"})
_DISGUISED = frozenset({"disguised"})
_ORDERS = frozenset({"instructions"})
_PRIVATE = frozenset({"private_life"})
_STALL = frozenset({"stall"})
_TRAIL = late(
    r"(?i)(?:^|[._])(?:audits?|(?:\w+_)?audit_(?:logs?|trails?|events?|entries|records?|history)"
    r"|(?:security|access|login|admin|activity)_(?:audit|trail|events|log)s?)$"
)
_SUBJECT = r"(?:ai_|llm_|coding_)?(?:agents?|assistants?|mcp|guard|guardrails?|copilot|bot|tool)"
_OBJECT = (
    r"(?:polic(?:y|ies)|permissions?|settings?|rules?|approvals?|allow_?lists?|servers?|hooks?|tool_grants?|config)"
)
_LEASH = late(rf"(?i)(?:^|[._]){_SUBJECT}_{_OBJECT}$")
_TEACHING = late(r"(?i)(?:^|[._])(?:\w+_)?(?:prompts?|instructions?|memor(?:y|ies)|skills?)$")
_SWITCHES = late(
    r"(?i)tools\.(?:\w+\.)?auto_?approve|yolo|bypass_?permissions|skip_?permissions|disable_?all_?hooks"
    r"|auto_?run_?(?:everything|mode)|permission_?mode"
)
_LIFE = late(
    r"(?i)(?:^|[._])(?:\w+_)?(?:(?:private|direct|personal|chat|sms|text|voice)_messages?|dms|whatsapp\w*|imessages?"
    r"|(?:employee|user|phone|device|person|staff|driver|child)\w*_(?:locations?|positions?|whereabouts|movements)"
    r"|location_history|call_(?:logs?|records?|history)|(?:browser|browsing)_history|keystrokes|sms|calls|location_points|gps_(?:points|logs?|tracks?))$"
)
# Tables and columns in the files of browsers, telephones and messengers.
_STORES = late(
    r"(?i)(?:^|[._])(?:moz_(?:places|historyvisits|formhistory|annos|inputhistory)|zwa\w+|zcallrecord|zvoicemail|chat_message_join"
    r"|message_attachment_join|wa_contacts|message_thread|jid_map|zcloudrecording|zrcloudlocation\w*|zassetdescription|conversation_history"
    r"|keyword_search_terms|history_visits|sms_messages|calllog|zsfnote|ziccloudsyncingobject)$"
)
_COLUMNS = late(
    r"(?i)\b(?:key_remote_jid|last_visit_time|last_visit_date|zlatitude|ztext|ztobody|978307200|11644473600|moz_places)\b|\bhandle\.(?:rowid|id)\b"
)
_PERSON = late(
    r"(?i)\b\w*(?:sender|recipient|author|from|to|name|email|user|username|employee|person|owner|phone|handle|contact|address|number|jid)\w*\s*"
    r"(?:=|i?like|in\s*\()\s*'[^']*[a-z@+][^']*'"
)
_COUNTS_ONLY = late(r"(?is)^\s*select\s+(?:\w+\s*,\s*)*(?:count|sum|avg|min|max)\s*\([^)]*\)(?:\s+as\s+\w+)?\s+from\b")
#: Tables of name servers and firewalls, whose rows decide where everyone's traffic goes.
_ROUTES = late(
    r"(?i)(?:^|[._])(?:dns_\w+|\w*dns_records?|firewall_\w+|\w+_firewall|fw_rules|iptables\w*|nat_rules|security_group_rules"
    r"|proxy_(?:settings|config|rules)|vpn_(?:peers|configs?)|routing_(?:table|rules)|ip_(?:allow|block|deny|white|black)_?lists?)$"
)
#: Rows of a name server by their columns: PowerDNS keeps them in `records` and `domains`.
_ZONES = late(r"(?i)(?:^|[._])(?:records|domains|rr|soa|zones?)$")
_ZONE_COLUMNS = late(
    r"(?i)\bdomain_id\b|\b(?:type|rrtype)\s*(?:=|in\s*\()\s*'(?:A|AAAA|CNAME|MX|NS|TXT|SRV|SOA)'|'(?:A|AAAA|CNAME|MX|NS)'\s*,|\bmaster\s*="
)
#: What a Mac lets each application do, in its own database.
_CONSENT = late(r"(?i)kTCCService\w+|\bauth_value\b")
_MESSAGES = late(
    r"(?i)\b(?:message|msg|m)\b.*\b(?:handle_id|handle|chat_message_join|attributedBody|is_from_me|ROWID)\b|\bhandle_id\b.*\bfrom\s+message\b"
)
#: A session that takes fewer rights for itself.
_STEPS_DOWN = late(
    r"(?i)^\s*set\s+(?:local\s+|session\s+)?role\s+[\"']?(?:none|\w*read_?only\w*|\w*reader|\w*viewer|anon\w*|guest)[\"']?\s*;?\s*$"
)
_ROUTED = frozenset({"rerouted"})
MAX_TEXT = 4_000


def report_meanings(reading: Reading, first: int, text: str, site: Site) -> None:
    """Report what the statement means, by the tables of its effects since the `first` one."""
    for effect in reading.effects[first:]:
        if effect.resource is None or not effect.kind.startswith("db."):
            continue
        name = effect.resource.name
        if effect.kind in _CHANGES:
            _report_change(reading, effect.kind, name, text, site)
        elif effect.kind == "db.read" and _is_private_life(name, text):
            reading.effects.append(replace(effect, flags=effect.flags | _PRIVATE))
    if is_endless(text):
        reading.emit("db.execute", site, "endless query", _STALL)
    elif _STEPS_DOWN.match(text):
        reading.effects[first:] = [effect for effect in reading.effects[first:] if effect.kind != "db.grant"]
    elif is_short_wait(text):
        reading.effects[first:] = [
            effect for effect in reading.effects[first:] if effect.kind != "db.execute" or effect.flags != _STALL
        ]


def _is_private_life(table: str, text: str) -> bool:
    """Whether a query reads about a person: by a table that only a browser or a messenger has, or by a name in it."""
    if _COUNTS_ONLY.match(text):
        return False
    text = text[:MAX_TEXT]
    if _STORES.search(table) or _COLUMNS.search(text):
        return True
    if table.lower() in ("message", "chat", "handle") and _MESSAGES.search(text):
        return True
    return _LIFE.search(table) is not None and _PERSON.search(text) is not None


def _report_change(reading: Reading, kind: str, name: str, text: str, site: Site) -> None:
    report_registry(reading, kind, name, text, site)
    start = text.lstrip()[:6].lower()
    if _TRAIL.search(name) and (kind == "db.delete" or start in ("update", "merge ", "replac")):
        reading.emit("trace.erase", site, name)
    if start != "create" and (_LEASH.search(name) or _SWITCHES.search(text)):
        reading.emit("db.write", site, name, _AGENT)
    if start != "create" and kind != "db.alter" and _changes_routes(name, text):
        reading.emit("system.change", site, name, _ROUTED)
    if name.lower() == "access" and _CONSENT.search(text):
        reading.emit("defence.disable", site, name)
    if not text.isascii() and start != "create":
        from interlock.analyse.hidden_text import mixes_letters

        if mixes_letters(text):
            reading.emit("code.opaque", site, name, _DISGUISED)
    if is_poisoned(text) if _TEACHING.search(name) else is_hidden_order(text):
        reading.emit("db.write", site, name, _ORDERS)


def _changes_routes(name: str, text: str) -> bool:
    """Whether a row decides which address a name resolves to, or which traffic is allowed."""
    return _ROUTES.search(name) is not None or (
        _ZONES.search(name) is not None and _ZONE_COLUMNS.search(text) is not None
    )
