"""Services: what the machine offers, and what runs in the background."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family, path_like

_WAYS_IN = path_like(
    "sshd*",
    "ssh",
    "ssh.service",
    "dropbear*",
    "NetworkManager*",
    "network*",
    "networking*",
    "systemd-networkd*",
    "systemd-resolved*",
    "wpa_supplicant*",
    "com.openssh.sshd*",
    "dhcpcd*",
    "tailscaled*",
)
_FOUNDATIONS = path_like(
    "dbus*",
    "systemd-*",
    "udev*",
    "polkit*",
    "containerd*",
    "docker*",
    "kubelet*",
    "etcd*",
    "libvirtd*",
    "gdm*",
    "lightdm*",
    "sddm*",
    "init",
    "systemd",
    "launchd",
)

RULES = family(
    "services",
    Rule(
        name="way_in_closed",
        level=Level.HIGH,
        when=(effect("service.change", named=_WAYS_IN), effect("process.signal", named=_WAYS_IN)),
        reason="Without this service nobody can reach the machine any more to put it right",
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
        when=(effect("service.change", named=_FOUNDATIONS), effect("process.signal", named=_FOUNDATIONS)),
        reason="Much of the machine stands on this service and stops with it",
        match=["$ systemctl stop dbus", "$ systemctl stop docker", "$ killall systemd-logind", "$ service docker stop"],
        no_match=["$ systemctl status docker", "$ systemctl start docker"],
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
        reason="What is disabled does not come back with the next start",
        match=[
            "$ systemctl disable nginx",
            "$ systemctl mask nginx",
            "$ rc-update del nginx",
            "$ launchctl disable system/com.example.x",
        ],
        no_match=["$ systemctl is-enabled nginx", "$ systemctl enable nginx", "$ systemctl stop nginx"],
    ),
    Rule(
        name="all_services_stopped",
        level=Level.HIGH,
        when=(effect("service.change", "all"), effect("service.change", named=path_like("all", "'*'", "*\\**"))),
        reason="Everything that is watched over would stop at once",
        match=["$ supervisorctl shutdown", "$ supervisorctl stop all", "$ pm2 kill all"],
        no_match=["$ supervisorctl status all", "$ supervisorctl stop worker"],
    ),
    Rule(
        name="service_change",
        level=Level.HIGH,
        when=effect("service.change"),
        reason="Services that stop change what the machine offers",
        instead="systemctl status nginx",
        match=["$ systemctl stop nginx", "$ service postgresql restart", "$ sv down nginx", "$ sc stop nginx"],
        no_match=["$ systemctl status nginx", "$ journalctl -u nginx", "$ systemctl start nginx", "$ systemctl"],
    ),
    Rule(
        name="service_start",
        level=Level.MEDIUM,
        when=effect("service.start"),
        reason="A service that starts goes on running, and may do so at every start of the machine",
        match=[
            "$ systemctl start nginx",
            "$ systemctl enable --now nginx",
            "$ service nginx start",
            "$ nginx -s reload",
        ],
        no_match=["$ systemctl status nginx", "$ nginx -t"],
    ),
)
