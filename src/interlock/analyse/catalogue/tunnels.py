"""Tunnels: ways in and out of the machine that no firewall sees."""

from interlock.analyse.catalogue.spec import Spec

_READS = "version help status list ls show whoami ip netcheck ping config login logout validate completion"

SPECS = (
    Spec(
        "ngrok",
        sub={
            "config authtoken version help update diagnose credits": "process.run",
            "*": Spec("http", does="net.listen", flags="tunnel", operands="-*"),
        },
    ),
    Spec(
        "cloudflared",
        sub={
            "tunnel": Spec(
                "tunnel",
                does="net.listen",
                flags="tunnel",
                operands="-*",
                options={"--url --config --hostname --name": "=-", "list info --help": "!system.read"},
            ),
            "access": Spec("access", does="net.connect", operands="-*"),
            "*": "process.run",
        },
    ),
    Spec(
        "localtunnel lt bore serveo pagekite telebit pinggy zrok localhost.run inlets holepunch tunnelto",
        does="net.listen",
        flags="tunnel",
        operands="-*",
        options={"--help --version": "!system.read"},
    ),
    Spec(
        "chisel frpc frps rathole gost iodine iodined dnscat dnscat2 dns2tcp wstunnel gs-netcat gsocket gs-mount gs-sftp ligolo-agent ligolo-proxy ligolo agent-ligolo websocat-tunnel ptunnel icmptunnel hans udp2raw stunnel ligolo-ng earthworm rpivot revsocks 3proxy microsocks",
        does="net.connect",
        flags="tunnel covert",
        operands="-*",
        options={"--help --version": "!system.read"},
    ),
    Spec(
        "sshuttle",
        does="net.connect",
        flags="tunnel proxy_tunnel",
        operands="-*",
        options={"-r --remote -x --exclude -l --listen -e --ssh-cmd": "=-"},
    ),
    Spec(
        "tmate upterm teleconsole wetty gotty ttyd shellinabox shellinaboxd sshx tty-share shell2http",
        does="net.listen",
        flags="shell_shared",
        operands="-*",
        options={"--help --version -h -v": "!system.read"},
    ),
    Spec(
        "tailscale headscale netbird",
        sub={
            f"{_READS} version dns bugreport switch licenses cert": "system.read",
            "funnel": Spec(
                "funnel",
                sub={"status": "system.read", "*": Spec("funnel", does="net.listen", flags="tunnel", operands="-*")},
            ),
            "serve": Spec("serve", sub={"status": "system.read", "*": Spec("serve", does="net.listen", operands="-*")}),
            "ssh": Spec("ssh", operands="net.connect command"),
            "*": "process.run",
        },
    ),
    Spec("zerotier-cli nebula", sub={"info listnetworks listpeers status": "system.read", "*": "net.connect"}),
    Spec(
        "wg-quick openvpn openvpn3 openconnect vpnc ipsec strongswan swanctl pppd xl2tpd wireproxy",
        does="net.connect",
        flags="vpn",
        operands="-*",
        options={
            "--config --dev --script-security": "=-",
            "--up --down --route-up --ipchange --tls-verify --auth-user-pass-verify --client-connect --client-disconnect -s --script": "=code:shell +runs",
            "--version --help": "!system.read",
        },
    ),
    Spec("code-server openvscode-server", does="net.listen", operands="-*"),
)
