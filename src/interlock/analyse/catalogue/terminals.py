"""Terminal multiplexers: what they are told to run."""

from interlock.analyse.catalogue.spec import Spec

_WINDOW = {"-s -n -t -x -y -F -e -l -p -f -b -T": "=-", "-c": "=chdir", "-d -A -D -P -E -h -v -k -a -S -X -Z": ""}

SPECS = (
    Spec(
        "tmux",
        options={"-L -S -f -T": "=-", "-c": "=code:shell", "-2 -u -C -D -l -N -v": ""},
        sub={
            "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw display-popup popup": Spec(
                "new-session", operands="command", does="process.spawn", options=_WINDOW
            ),
            "run-shell run if-shell if": Spec(
                "run-shell", operands="code:shell*", options={"-t -d -c": "=-", "-b -F -C": ""}
            ),
            "pipe-pane pipep": Spec("pipe-pane", operands="code:shell", options={"-t": "=-", "-I -O -o": ""}),
            "send-keys send": Spec("send-keys", operands="-*", options={"-t -N -c": "=-", "-l -R -M -X -H": ""}),
            "source-file source": "script",
            "ls list-sessions list-windows lsw list-panes lsp list-keys lsk list-clients lsc show-options show display-message display has-session has "
            "capture-pane capturep info show-environment showenv list-commands list-buffers show-buffer -V": "system.read",
            "": "process.spawn",
            "*": "process.spawn",
        },
    ),
)
