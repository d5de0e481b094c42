"""Containers, images, and machines that are like them."""

from interlock.analyse.catalogue.spec import Spec

_HELP = {"--help": "!container.read"}
_RUN = Spec(
    "run",
    operands="container.run command",
    options={
        "-v --volume --mount --tmpfs --volumes-from --device --cap-add --cap-drop --security-opt --pid --ipc --net --network --userns --uts --cgroupns --cgroup-parent": "=-",
        "--privileged": "+privileged",
        "-e --env --name -p --publish -w --workdir -u --user -h --hostname --entrypoint --env-file -l --label -m --memory --cpus --restart --platform --gpus --shm-size": "=-",
        "--add-host --dns --dns-search --link --expose --ulimit --log-driver --log-opt --stop-signal --stop-timeout --health-cmd --health-interval --annotation --runtime --pids-limit --cpuset-cpus --memory-swap --cidfile --mac-address --ip --network-alias --sysctl --group-add --isolation --storage-opt --blkio-weight --cpu-shares -c -a --attach --detach-keys --pod --secret --arch --os": "=-",
        "-d -i -t --rm --init -P --publish-all --read-only --no-healthcheck --detach --interactive --tty -q --quiet": "",
        "--pull": "=-?",
    },
)
_EXEC = Spec(
    "exec",
    operands="container.run command",
    options={
        "-e --env -w --workdir -u --user --env-file --detach-keys --index": "=-",
        "-i -t -d -T --interactive --tty --detach": "",
        "--privileged": "+privileged",
    },
)
_COMPOSE_RUN = Spec(
    "run",
    operands="container.run command",
    options={
        "-e --env -w --workdir -u --user --name -v --volume -p --publish --entrypoint -l --label --cap-add --cap-drop": "=-",
        "-d -T --rm --no-deps --service-ports -P --build -i --quiet-pull --use-aliases": "",
        "--privileged": "+privileged",
    },
)
_REMOVE = Spec(
    "rm",
    operands="container.delete*",
    does="container.delete",
    options={
        "-f --force": "+force",
        "-v --volumes": "+volumes",
        "-a --all": "+all",
        "--filter --time -t": "=-",
        **_HELP,
    },
)
_PRUNE = Spec(
    "prune",
    does="container.delete",
    options={"--volumes": "+volumes", "-a --all": "+all", "--filter": "=-", "-f --force": "+force", **_HELP},
)
_REMADE = Spec(
    "rmi",
    does="container.change",
    flags="rebuilt",
    options={"-f --force": "", "-a --all": "", "--filter": "=-", **_HELP},
)
_PUSH = Spec("push", does="deploy.release", options=_HELP)
_VOLUMES: dict[str, Spec | str] = {
    "ls list inspect exists": "container.read",
    "rm remove": Spec(
        "rm",
        operands="container.delete*",
        does="container.delete",
        flags="volumes",
        options={"-f --force": "+force", **_HELP},
    ),
    "prune": Spec(
        "prune",
        does="container.delete",
        flags="volumes",
        options={"-f --force": "+force", "--filter": "=-", "-a --all": "+all", **_HELP},
    ),
    "*": "container.change",
}
_COMPOSE: dict[str, Spec | str] = {
    "ps logs config images top version ls port events convert stats volumes": Spec(
        "ps", does="container.read", options=_HELP
    ),
    "up build pull start stop kill restart create pause unpause watch cp wait attach export commit scale": Spec(
        "up", does="container.change", options={**_HELP, "-V --renew-anon-volumes": ""}
    ),
    "push publish": _PUSH,
    "down": Spec(
        "down",
        does="container.change",
        options={
            "-v --volumes": "!container.delete +volumes",
            "--rmi -t --timeout": "=-",
            "--remove-orphans": "",
            **_HELP,
        },
    ),
    "rm": Spec(
        "rm",
        does="container.delete",
        options={"-v --volumes": "+volumes", "-f --force": "+force", "-s --stop": "", **_HELP},
    ),
    "exec": _EXEC,
    "run": _COMPOSE_RUN,
    "*": "container.change",
    "": "container.read",
}
_COMPOSE_OPTIONS = {
    "-f --file -p --project-name --profile --env-file --project-directory --parallel --progress --ansi": "=-",
    "--dry-run": "",
}
_OBJECT: dict[str, Spec | str] = {
    "ls list inspect logs history stats top port diff exists": "container.read",
    "rm remove": _REMOVE,
    "prune": _PRUNE,
    "exec": _EXEC,
    "run create": _RUN,
    "push": _PUSH,
    "cp": Spec("cp", operands="-*", does="container.change"),
    "*": "container.change",
}
_SWARM: dict[str, Spec | str] = {
    "ls list ps inspect logs services": "container.read",
    "rm remove down": Spec("rm", does="container.delete", flags="service", options=_HELP),
    "leave": Spec("leave", does="container.change", flags="swarm", options={"-f --force": "+force", **_HELP}),
    "deploy up": "deploy.release",
    "create update": "container.change",
    "scale rollback": "container.change",
    "*": "container.change",
}
_DOCKER: dict[str, Spec | str] = {
    "ps images inspect logs version info stats top port diff history search events df scout sbom help healthcheck": Spec(
        "ps", does="container.read"
    ),
    "run create": _RUN,
    "exec": _EXEC,
    "build buildx pull tag import load start stop kill restart pause unpause rename update wait login logout commit save export attach manifest trust model mcp init generate play kube network-create untag": Spec(
        "build", does="container.change", options=_HELP
    ),
    "machine": Spec(
        "machine",
        sub={
            "rm reset": Spec("rm", does="container.delete", flags="machine", options={"-f --force": "+force", **_HELP}),
            "ls list inspect info": "container.read",
            "*": "container.change",
        },
    ),
    "plugin": Spec(
        "plugin",
        sub={
            "ls list inspect": "container.read",
            "install upgrade": Spec(
                "install",
                does="container.change",
                options={"--grant-all-permissions": "!container.run +privileged", **_HELP},
            ),
            "*": "container.change",
        },
    ),
    "cp": Spec("cp", operands="-*", does="container.change", options=_HELP),
    "push": _PUSH,
    "rm": _REMOVE,
    "rmi": _REMADE,
    "container pod": Spec("container", sub=_OBJECT),
    "image": Spec("image", sub={**_OBJECT, "rm remove": _REMADE, "prune": _REMADE}),
    "volume": Spec("volume", sub=_VOLUMES),
    "network": Spec(
        "network",
        sub={
            "ls list inspect exists": "container.read",
            "rm remove prune": _REMADE,
            "*": "container.change",
        },
    ),
    "context": Spec(
        "context", sub={"ls list inspect show": "container.read", "*": "container.change", "": "container.read"}
    ),
    "builder": Spec("builder", sub={"prune": _REMADE, "*": "container.change"}),
    "system": Spec(
        "system",
        sub={
            "df info events": "container.read",
            "prune": Spec("prune", does="container.delete", flags="everything", options=_PRUNE.options),
            "reset": Spec(
                "reset", does="container.delete", flags="everything volumes", options={"-f --force": "+force", **_HELP}
            ),
            "*": "container.change",
        },
    ),
    "swarm service stack node secret config": Spec("swarm", sub=_SWARM),
    "compose": Spec("compose", options=_COMPOSE_OPTIONS, sub=_COMPOSE),
    "unshare": Spec("unshare", operands="command"),
    "*": "container.change",
    "": "container.read",
}
_MACHINE_EXEC = Spec(
    "exec",
    operands="container.run command",
    options={"--env --cwd --user --group -T -t -w --working-directory -d --mode": "=-?", "-n -i": ""},
)

SPECS = (
    Spec(
        "docker podman nerdctl finch lima-nerdctl docker.exe",
        sub=_DOCKER,
        options={
            "-H --host --context --config -l --log-level -c --namespace -n --tlscacert --tlscert --tlskey --root --url": "=-"
        },
    ),
    Spec("docker-compose podman-compose", options=_COMPOSE_OPTIONS, sub=_COMPOSE),
    Spec(
        "buildah",
        sub={
            "images containers inspect info version": "container.read",
            "run": Spec("run", operands="container.run command", options=_RUN.options),
            "rm": _REMOVE,
            "rmi": _REMADE,
            "push": _PUSH,
            "unshare": Spec("unshare", operands="command"),
            "*": "container.change",
        },
    ),
    Spec(
        "skopeo crane regctl oras cosign",
        sub={
            "inspect list-tags ls manifest digest config catalog version verify tree export blob": "container.read",
            "copy cp push sync tag": "deploy.release",
            "delete": Spec("delete", does="container.delete", flags="registry"),
            "*": "container.change",
        },
    ),
    Spec(
        "ctr crictl",
        options={"-n --namespace -a --address -r --runtime-endpoint -i --image-endpoint": "=-"},
        sub={
            "ps images inspect inspecti inspectp info version stats logs pods": "container.read",
            "run": Spec(
                "run",
                operands="container.run - command",
                options={
                    "--mount --env --cwd --user --device --cap-add": "=-",
                    "--privileged": "+privileged",
                    "--rm -t -d --net-host --tty": "",
                },
            ),
            "exec": Spec("exec", operands="container.run command", options={"-i -t -s": "", "--timeout": "=-"}),
            "rm rmp": _REMOVE,
            "rmi": _REMADE,
            "stop stopp": "container.change",
            "containers container c image images i task tasks t snapshots leases content": Spec(
                "containers",
                sub={
                    "ls list info check": "container.read",
                    "rm remove delete del": _REMOVE,
                    "exec": Spec(
                        "exec", operands="container.run command", options={"--exec-id --user": "=-", "-t": ""}
                    ),
                    "*": "container.change",
                },
            ),
            "*": "container.change",
        },
    ),
    Spec(
        "lxc incus lxd virsh multipass orb limactl",
        options={"--project -c --connect": "=-"},
        sub={
            "list ls info show find version remote dominfo domstate net-list pool-list status": "container.read",
            "exec shell": _MACHINE_EXEC,
            "delete destroy undefine": Spec(
                "delete",
                does="container.delete",
                operands="container.delete*",
                flags="machine",
                options={"-f --force -p --purge": "+force", "--remove-all-storage --wipe-storage": "+volumes"},
            ),
            "purge": Spec("purge", does="container.delete", flags="machine volumes"),
            "launch init start restart create define": "container.change",
            "stop suspend pause shutdown": "container.change",
            "storage": Spec(
                "storage",
                sub={
                    "list show info": "container.read",
                    "delete": Spec("delete", does="container.delete", flags="volumes"),
                    "*": "container.change",
                },
            ),
            "vol-delete pool-delete snapshot-delete vol-wipe": Spec(
                "vol-delete", does="container.delete", flags="volumes"
            ),
            "mount": Spec("mount", operands="mount -*", does="container.change"),
            "*": "container.change",
            "": "container.read",
        },
    ),
    Spec("lxc-attach", operands="command", options={"-n --name -v": "=-"}, does="container.run"),
    Spec("lxc-destroy", does="container.delete", flags="machine", options={"-n --name": "=-", "-f": "", "-s": ""}),
    Spec(
        "lxc-ls lxc-info lxc-checkconfig lxc-top docker-machine-ls dive ctop lazydocker",
        does="container.read",
        operands="-*",
    ),
    Spec(
        "lxc-create lxc-start lxc-stop lxc-copy lxc-freeze lxc-execute lxc-snapshot",
        does="container.change",
        operands="-*",
        options={"-n --name -t --template": "=-"},
    ),
    Spec(
        "vagrant",
        sub={
            "destroy": Spec(
                "destroy",
                does="container.delete",
                flags="machine",
                options={"-f --force": "+force", "--help": "!container.read"},
            ),
            "status global-status version validate ssh-config port list-commands help": "container.read",
            "ssh": Spec("ssh", does="net.connect", operands="-*", options={"-c --command": "=code:shell", "-p": ""}),
            "winrm": Spec("winrm", does="net.connect", operands="-*", options={"-c --command": "=code:other"}),
            "box": Spec(
                "box",
                sub={
                    "list outdated": "container.read",
                    "remove prune": Spec("remove", does="container.change"),
                    "*": "container.change",
                },
            ),
            "snapshot": Spec(
                "snapshot",
                sub={
                    "list": "container.read",
                    "delete": Spec("delete", does="container.delete", flags="machine"),
                    "*": "container.change",
                },
            ),
            "*": "container.change",
            "": "container.read",
        },
    ),
)

#: What gives a container the machine that it runs on: option → the values that do, and the flag that says so.
HOST_ACCESS: dict[str, tuple[str, str]] = {
    "--pid": ("host", "host_processes"),
    "--ipc": ("", ""),
    "--net": ("host", "host_network"),
    "--network": ("host", "host_network"),
    "--userns": ("host", "host_users"),
    "--uts": ("", ""),
    "--cgroupns": ("host", "host_processes"),
    "--cap-add": (
        "ALL SYS_ADMIN SYS_MODULE SYS_RAWIO SYS_BOOT DAC_READ_SEARCH DAC_OVERRIDE BPF MAC_ADMIN CAP_ALL CAP_SYS_ADMIN CAP_SYS_MODULE CAP_SYS_RAWIO CAP_DAC_READ_SEARCH CAP_BPF",
        "powers",
    ),
    "--security-opt": (
        "seccomp=unconfined seccomp:unconfined apparmor=unconfined apparmor:unconfined label=disable label:disable systempaths=unconfined",
        "unconfined",
    ),
}
