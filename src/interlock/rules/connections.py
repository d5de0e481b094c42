"""How the machine is connected, and settings that lead its traffic or its commands elsewhere."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "connections",
    Rule(
        name="interface_changed",
        level=Level.HIGH,
        when=effect("system.change", "interface"),
        reason="The machine may lose its connection, or take another way",
        instead="ip addr show",
        match=[
            "$ ip link set eth0 down",
            "$ ip route add default via 10.0.0.1",
            "$ ifconfig eth0 down",
            "$ nmcli connection delete home",
            "$ route add default gw 10.0.0.1",
            "$ netplan apply",
        ],
        no_match=["$ ip addr", "$ ip route get 1.1.1.1", "$ ifconfig", "$ nmcli device status", "$ route -n"],
    ),
    Rule(
        name="traffic_rerouted",
        level=Level.HIGH,
        when=effect("system.change", "rerouted"),
        reason="Somebody else's machine would see and could change what is fetched",
        match=[
            "$ export OPENAI_BASE_URL=https://example.com/v1",
            "$ ANTHROPIC_BASE_URL=http://example.com claude",
        ],
        no_match=["$ export OPENAI_BASE_URL=http://localhost:11434/v1"],
    ),
    Rule(
        name="certificate_check_disabled",
        level=Level.HIGH,
        when=(effect("defence.disable", "tls"), effect("defence.disable", "certificates")),
        reason="From then on the other side of every connection may be anybody",
        match=[
            "$ npm config set strict-ssl false",
            "$ NODE_TLS_REJECT_UNAUTHORIZED=0 node app.js",
            "$ export GIT_SSL_NO_VERIFY=true",
        ],
        no_match=["$ npm config set strict-ssl true", "$ NODE_TLS_REJECT_UNAUTHORIZED=1 node app.js"],
    ),
    Rule(
        name="network_passwords_shown",
        level=Level.HIGH,
        when=effect("system.read", "show_secrets"),
        reason="The passwords of networks would be shown",
        instead="nmcli connection show",
        match=["$ nmcli --show-secrets connection show home", "$ nmcli -s con show home"],
        no_match=["$ nmcli connection show home"],
    ),
    Rule(
        name="host_namespace",
        level=Level.HIGH,
        when=effect("privilege.raise", "namespace"),
        reason="In the namespaces of the first process there is no container any more",
        match=["$ nsenter -t 1 -m -u -i -n sh", "$ nsenter --target 1 --mount ls"],
        no_match=["$ nsenter -t 4321 -n ip addr", "$ unshare -r id"],
    ),
    Rule(
        name="agent_unguarded",
        level=Level.HIGH,
        when=effect("process.run", "unguarded"),
        reason="An agent that asks nobody can do whatever it is talked into",
        instead="claude -p 'explain this project'",
        match=[
            "$ claude --dangerously-skip-permissions",
            "$ codex --full-auto 'fix it'",
            "$ gemini --yolo",
            "$ claude --permission-mode bypassPermissions",
            "$ codex exec --sandbox danger-full-access 'fix it'",
            "$ npx claude --dangerously-skip-permissions",
        ],
        no_match=["$ claude -p 'explain this'", "$ codex exec 'fix it'", "$ echo --yolo"],
    ),
)
