"""What Python code disguises: text of Unicode tags or characters of no width, which nobody sees, and its process."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

_HIDING = late(
    r"chr\(\s*0x[eE]00[0-7][0-9a-fA-F]\s*[+|]|chr\([^()]*\([^()]*\)\s*[+|]\s*0x[eE]00[0-7][0-9a-fA-F]"
    r"|(?i:\\U000e00[0-7][0-9a-f])|[\"'](?:\\u200[b-d]|\\u2060|\\ufeff)+[\"']\.join"
    # bits as characters of no width
    r"|[\"']?[01][\"']?\s*:\s*[\"']\\u(?:200[b-f]|2060|feff)[\"']"
    r"|[\"']\\u(?:200[b-f]|2060|feff)[\"']\s+if\b|\belse\s+[\"']\\u(?:200[b-f]|2060|feff)[\"']"
    r"|[\"']\\u200[b-f](?:[\"']\s*,\s*[\"'])?\\u(?:200[b-f]|2060|feff)[\"']\)?\["
)
# A process that takes the name of a kernel thread or a service of the system.
_RENAMING = late(
    r"(?:setproctitle|set_proc_title|setthreadtitle|prctl\.set_name|prctl)\(\s*(?:15\s*,\s*)?b?[\"'](?:\[[^\]\"']+\]"
    r"|(?:/\S*/)?(?:k?worker|kthreadd|ksoftirqd|systemd|sshd|crond?|init|dbus-daemon|rsyslogd|auditd|nginx|apache2|httpd)\b)"
)
_DISGUISED = frozenset({"disguised"})
_INVISIBLE = frozenset({"invisible"})


def report_hidden_text(reading: Reading, text: str, site: Site) -> None:
    """Report code that makes text which nobody sees, and an agent reads, or that takes another name."""
    if _HIDING.search(text):
        reading.emit("code.opaque", site, "invisible text", _INVISIBLE)
    if _RENAMING.search(text):
        reading.emit("process.spawn", site, "another name", _DISGUISED)
