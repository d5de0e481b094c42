"""Windows: what a machine is restored from, and what it starts with."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "windows",
    Rule(
        name="unusual_download",
        level=Level.HIGH,
        when=effect("net.fetch", "unusual"),
        reason="A tool that is meant for something else is used to download, as malware does",
        instead="curl -o tool.zip https://example.com/tool.zip",
        match=[
            "$ certutil -urlcache -split -f http://example.com/a.exe a.exe",
            "$ bitsadmin /transfer job http://example.com/a.exe 'C:\\a.exe'",
        ],
        no_match=["$ certutil -hashfile a.exe SHA256", "$ bitsadmin /list", "$ Invoke-WebRequest https://example.com"],
    ),
    Rule(
        name="registry_change",
        level=Level.HIGH,
        when=effect("system.change", "registry"),
        reason="The registry holds what the machine starts with and how it is protected",
        instead="reg query HKLM\\\\SOFTWARE\\\\App",
        match=[
            "$ reg delete 'HKLM\\SOFTWARE\\App' /f",
            "$ reg add 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run' /v x /d x.exe",
            "$ powershell -Command \"Remove-Item -Path 'HKLM:\\SOFTWARE\\App' -Recurse\"",
        ],
        no_match=[
            "$ reg query 'HKLM\\SOFTWARE\\App'",
            "$ powershell -Command \"Get-ItemProperty 'HKLM:\\SOFTWARE\\App'\"",
        ],
    ),
)
