"""How the machine is connected: interfaces, routes, names. Showing it is quiet, changing it is not."""

from interlock.analyse.catalogue.spec import Spec

_SHOW = "show list ls lst sh s get monitor save help statistics lis l showdump"
_CHANGE = Spec("set", does="system.change", flags="interface", operands="-*")


def _shown_or_changed(name: str) -> Spec:
    return Spec(name, sub={_SHOW: "system.read", "": "system.read", "*": _CHANGE})


SPECS = (
    Spec(
        "ip",
        options={"-n -netns -b -batch -l -loops -f -family -rc -rcvbuf": "=-"},
        sub={
            "a ad addr address l li link r ro route n ne neigh neighbor neighbour ru rule tunnel tun tuntap maddress mroute xfrm macsec ntable token vrf "
            "addrlabel l2tp fou mptcp nexthop sr tcp_metrics ila ioam mrule netconf stats": _shown_or_changed("addr"),
            "netns": Spec(
                "netns",
                sub={
                    "exec": Spec("exec", operands="- command", options={"-a -all": ""}),
                    f"{_SHOW} identify pids list-id": "system.read",
                    "": "system.read",
                    "*": _CHANGE,
                },
            ),
            "monitor mon help": "system.read",
            "": "system.read",
            "*": "system.read",
        },
    ),
    Spec(
        "tc bridge rdma devlink",
        options={"-s -d -p -j -c -n -netns": ""},
        sub={"*": Spec("*", sub={_SHOW: "system.read", "": "system.read", "*": _CHANGE}), "": "system.read"},
    ),
    Spec(
        "nmcli",
        options={
            "-f --fields -g --get-values -m --mode -c --colors -e --escape -w --wait": "=-",
            "-s --show-secrets": "+show_secrets",
            "-t -p -a": "",
        },
        sub={
            "g general m monitor": Spec(
                "general",
                sub={
                    "status s permissions": "system.read",
                    "hostname h logging l": "process.run",
                    "": "system.read",
                    "*": _CHANGE,
                },
            ),
            "c con conn connection": Spec(
                "connection",
                options={"--active --order": "=-?", "-s --show-secrets": "+show_secrets"},
                sub={
                    "show s sh monitor": Spec(
                        "show",
                        does="system.read",
                        operands="-*",
                        options={"-s --show-secrets": "+show_secrets", "--active": ""},
                    ),
                    "export": "secret.read",
                    "": "system.read",
                    "*": _CHANGE,
                },
            ),
            "d dev device": Spec(
                "device",
                sub={
                    "status show s sh wifi wif wi w lldp monitor": Spec(
                        "status",
                        sub={
                            "list show": "system.read",
                            "": "system.read",
                            "connect hotspot": _CHANGE,
                            "*": "system.read",
                        },
                    ),
                    "": "system.read",
                    "*": _CHANGE,
                },
            ),
            "n networking r radio": Spec(
                "radio",
                sub={
                    "off": _CHANGE,
                    "wifi wwan all": Spec("wifi", sub={"on off": _CHANGE, "": "system.read", "*": "system.read"}),
                    "on": _CHANGE,
                    "*": "system.read",
                    "": "system.read",
                },
            ),
            "": "system.read",
            "*": "system.read",
        },
    ),
    Spec(
        "netplan",
        sub={"get status info help": "system.read", "generate": "system.read", "*": _CHANGE, "": "system.read"},
    ),
    Spec("networkctl", sub={"list status lldp label": "system.read", "": "system.read", "*": _CHANGE}),
    Spec("connmanctl", sub={"services technologies state clock": "system.read", "": "system.read", "*": _CHANGE}),
    Spec("ifconfig iwconfig route arp ethtool networksetup scutil mii-tool", does="system.read", operands="-*"),
    Spec("ifdown ifrename", does="system.change", flags="interface", operands="-*"),
    Spec(
        "wg",
        sub={
            "show": "system.read",
            "": "system.read",
            "showconf": "secret.read",
            "genkey genpsk pubkey": "out.print",
            "*": _CHANGE,
        },
    ),
)
