"""Servers that are started by hand: desktops for others, databases, notebooks, small web servers."""

from interlock.analyse.catalogue.spec import Spec

_HELP = {"--help --version -h -V": "!system.read"}

SPECS = (
    Spec(
        "vncserver tigervncserver Xvnc x0vncserver x11vnc wayvnc krfb xrdp gnome-remote-desktop",
        does="net.listen",
        operands="-*",
        options={"-kill -list -storepasswd": "!system.read", **_HELP},
    ),
    Spec(
        "redis-server valkey-server keydb-server mysqld mysqld_safe mariadbd mariadbd-safe mongod dockerd",
        does="net.listen",
        operands="-*",
        options={"--init-file": "=fs.read", **_HELP},
    ),
    Spec("jupyter jupyter-lab jupyter-notebook", does="process.run", operands="-*", options=_HELP),
    Spec("telnetd rlogind rshd in.telnetd utelnetd", does="net.listen", operands="-*", flags="shell"),
    Spec(
        "darkhttpd thttpd mini_httpd micro_httpd quark sws static-web-server",
        does="net.listen",
        operands="-*",
        options={"-d -r --root": "=fs.read +served", "--port --addr --log -p -u -l -i": "=-", **_HELP},
    ),
    Spec(
        "webfsd pyftpdlib twistd",
        does="net.listen",
        operands="-*",
        options={"-r -d --directory --path": "=fs.read +served", "-p --port -i -u -P": "=-", "-w -n -F": "", **_HELP},
    ),
    Spec("smbserver.py", does="net.listen", operands="- fs.read", flags="served", options=_HELP),
)
