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
            "$ git config --global http.proxy http://proxy.example.com:8080",
            "$ git config url.https://example.com/.insteadOf https://github.com/",
        ],
        no_match=[
            "$ git config user.name u",
            "$ git config --global url.git@github.com:.insteadOf https://github.com/",
        ],
    ),
    Rule(
        name="certificate_check_disabled",
        level=Level.HIGH,
        when=effect("defence.disable", "tls"),
        reason="From then on the other side of every connection may be anybody",
        match=["$ git config --global http.sslVerify false", "$ npm config set strict-ssl false"],
        no_match=["$ git config --global http.sslVerify true", "$ npm config set strict-ssl true"],
    ),
    Rule(
        name="git_command_stored",
        level=Level.HIGH,
        when=effect("schedule.change", "git_hook"),
        reason="Git would run this by itself, every time and for whoever comes next",
        match=[
            "$ git config core.fsmonitor ./x.sh",
            "$ git config core.hooksPath /tmp/hooks",
            "$ git config core.sshCommand 'sh /tmp/x'",
        ],
        no_match=[
            "$ git config core.hooksPath .githooks",
            "$ git config core.pager less",
            "$ git config alias.co checkout",
        ],
    ),
    Rule(
        name="library_preloaded",
        level=Level.HIGH,
        when=effect("code.run", "preload"),
        reason="Code that is loaded first sees and changes all that the program does",
        match=["$ LD_PRELOAD=/tmp/x.so ls", "$ export LD_AUDIT=./x.so", "$ env BASH_ENV=/tmp/x bash -c ls"],
        no_match=["$ LD_LIBRARY_PATH=./lib ./app", "$ LD_PRELOAD=/usr/lib/libjemalloc.so.2 ls"],
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
