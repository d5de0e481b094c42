"""Services of the machine and background processes."""

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import MachineNames
from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family, path_like

_WORDS = read_table("machine-names", MachineNames)

_WAYS_IN = path_like(*_WORDS.ways_in)
_FOUNDATIONS = path_like(*_WORDS.foundations)

# Services that others depend on, but that a restart brings back as they were.
_SHARED = path_like(*_WORDS.restored)

#: Services that let others in, or lead traffic elsewhere.
_OUTSIDE = path_like(*(f"{name}{end}" for name in _WORDS.outside for end in ("", ".service", ".socket")))

RULES = family(
    "services",
    Rule(
        name="way_in_closed",
        level=Level.HIGH,
        when=(
            effect("service.change", named=_WAYS_IN),
            effect("service.start", "restarted", named=_WAYS_IN),
            effect("process.signal", named=_WAYS_IN),
        ),
        reason="Without this service, nobody can reach the machine to repair it",
        match=[
            "$ systemctl stop sshd",
            "$ systemctl disable --now NetworkManager",
            "$ pkill sshd",
            "$ service networking stop",
        ],
        no_match=["$ systemctl status sshd", "$ systemctl reload sshd", "$ systemctl stop nginx"],
    ),
    Rule(
        name="foundation_stopped",
        level=Level.HIGH,
        when=(
            effect("service.change", named=_FOUNDATIONS),
            effect("service.start", "restarted", named=_FOUNDATIONS),
            effect("local.change", "user", named=_FOUNDATIONS),
            effect("service.change", named=_SHARED),
            effect("process.signal", named=_FOUNDATIONS),
            effect("process.signal", named=_SHARED),
        ),
        reason="Much of the machine depends on this service and stops with it",
        match=[
            "$ killall WindowServer",
            "$ pkill -9 postgres",
            "$ systemctl stop dbus",
            "$ systemctl stop docker",
            "$ killall systemd-logind",
            "$ service docker stop",
        ],
        no_match=[
            "$ systemctl status docker",
            "$ systemctl start docker",
            "$ systemctl restart postgresql",
            "$ killall Dock",
        ],
    ),
    Rule(
        name="runlevel_change",
        level=Level.HIGH,
        when=effect("service.change", "isolate"),
        reason="Another target stops every service that it does not name",
        match=["$ systemctl isolate multi-user.target", "$ init 3", "$ systemctl set-default rescue.target"],
        no_match=["$ systemctl get-default", "$ runlevel"],
    ),
    Rule(
        name="service_disabled",
        level=Level.HIGH,
        when=effect("service.change", "disabled"),
        reason="A disabled service does not start at the next boot",
        match=[
            "$ systemctl disable nginx",
            "$ systemctl mask nginx",
            "$ rc-update del nginx",
            "$ launchctl disable system/com.example.x",
        ],
        no_match=["$ systemctl is-enabled nginx", "$ systemctl stop nginx"],
    ),
    Rule(
        name="all_services_stopped",
        level=Level.HIGH,
        when=(effect("service.change", "all"), effect("service.change", named=path_like("all", "'*'", "*\\**"))),
        reason="Every supervised process would stop at once",
        match=["$ supervisorctl shutdown", "$ supervisorctl stop all", "$ pm2 kill all"],
        no_match=["$ supervisorctl status all", "$ supervisorctl stop worker"],
    ),
    Rule(
        name="unit_linked",
        level=Level.HIGH,
        when=effect("service.change", "linked"),
        reason="A unit from an ordinary folder would run with system privileges",
        match=["$ systemctl link /tmp/x.service", "$ sudo systemctl link ./web.service"],
        no_match=["$ systemctl cat web"],
    ),
    Rule(
        name="service_enabled",
        level=Level.HIGH,
        when=effect("service.start", "enabled"),
        reason="The service would start automatically from now on",
        match=[
            "$ systemctl enable --now nginx",
            "$ systemctl --user enable sync.timer",
            "$ launchctl load -w ~/Library/LaunchAgents/x.plist",
            "$ pm2 startup",
            "$ loginctl enable-linger me",
        ],
        no_match=["$ systemctl start nginx", "$ systemctl --user start app", "$ systemctl is-enabled nginx"],
    ),
    Rule(
        name="service_defined",
        level=Level.HIGH,
        when=effect("service.change", "defined"),
        reason="The service would run something else from now on",
        match=["$ systemctl edit nginx", "$ systemctl set-property nginx CPUQuota=10%"],
        no_match=["$ systemctl cat nginx", "$ systemctl daemon-reload"],
    ),
    Rule(
        name="service_change",
        level=Level.HIGH,
        when=effect("service.change"),
        reason="Stopping services changes what the machine provides",
        match=["$ systemctl stop nginx", "$ ssh web1 service nginx restart", "$ sv down nginx", "$ sc stop nginx"],
        no_match=[
            "$ systemctl status nginx",
            "$ journalctl -u nginx",
            "$ systemctl start nginx",
            "$ systemctl --user stop app",
        ],
    ),
    Rule(
        name="outside_service_started",
        level=Level.HIGH,
        when=effect("service.start", named=_OUTSIDE),
        reason="This service lets others reach the machine, or reroutes its traffic, until it is stopped",
        match=["$ brew services start cloudflared", "$ systemctl start tor", "$ systemctl start ssh"],
        no_match=["$ brew services start redis", "$ systemctl status tor", "$ brew services list"],
    ),
    Rule(
        name="service_start",
        level=Level.MEDIUM,
        when=effect("service.start"),
        reason="A started service keeps running, possibly at every boot",
        match=[
            "$ systemctl start nginx",
            "$ service nginx start",
            "$ systemctl restart nginx",
            "$ nginx -s reload",
        ],
        no_match=["$ systemctl status nginx", "$ nginx -t"],
    ),
)
