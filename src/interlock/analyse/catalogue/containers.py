"""Containers and clusters."""

from interlock.analyse.catalogue.spec import Spec

_RUN = Spec(
    "run",
    operands="container.run command",
    options={
        "-v --volume": "=mount",
        "--mount": "=-",
        "--privileged": "+privileged",
        "--pid --ipc --net --network --cap-add --device --security-opt --userns": "=-",
        "-e --env --name -p --publish -w --workdir -u --user -h --hostname --entrypoint --env-file -l --label -m --memory --cpus --restart --platform --gpus --shm-size": "=-",
        "-d -i -t --rm --init --pull": "",
    },
)
_EXEC = Spec(
    "exec",
    operands="container.run command",
    options={"-e --env -w --workdir -u --user --env-file": "=-", "-i -t -d": "", "--privileged": "+privileged"},
)
_DOCKER: dict[str, Spec | str] = {
    "ps images inspect logs version info stats top port diff history search events context df": "container.read",
    "run create": _RUN,
    "exec": _EXEC,
    "build buildx pull tag import load start stop restart pause unpause rename update wait login logout commit cp save export attach": "container.change",
    "push": Spec("push", does="deploy.release"),
    "kill": "process.signal*",
    "rm rmi": Spec(
        "rm",
        operands="container.delete*",
        does="container.delete",
        options={"-f --force": "+force", "-v --volumes": "+volumes"},
    ),
    "container image": Spec(
        "container",
        sub={
            "ls list inspect logs": "container.read",
            "rm": "container.delete*",
            "prune": Spec("prune", does="container.delete", flags="all"),
            "exec": _EXEC,
            "run": _RUN,
            "*": "container.change",
        },
    ),
    "volume network": Spec(
        "volume",
        sub={
            "ls list inspect": "container.read",
            "rm remove": Spec("rm", operands="container.delete*", flags="volumes"),
            "prune": Spec("prune", does="container.delete", flags="all volumes"),
            "*": "container.change",
        },
    ),
    "system builder": Spec(
        "system",
        sub={
            "df info events": "container.read",
            "prune": Spec(
                "prune",
                does="container.delete",
                flags="all",
                options={"--volumes": "+volumes", "-a --all -f --force": ""},
            ),
            "*": "container.change",
        },
    ),
    "compose": Spec(
        "compose",
        options={"-f --file -p --project-name --profile --env-file": "=-"},
        sub={
            "ps logs config images top version ls port events": "container.read",
            "up build pull start stop restart create pause unpause watch": "container.change",
            "down": Spec(
                "down",
                does="container.change",
                options={"-v --volumes": "!container.delete +volumes", "--rmi": "=-", "--remove-orphans": ""},
            ),
            "rm": "container.delete",
            "exec run": _EXEC,
            "kill": "process.signal",
            "*": "container.change",
        },
    ),
    "*": "container.change",
    "": "container.read",
}
_KUBECTL: dict[str, Spec | str] = {
    "get describe logs top explain version cluster-info api-resources api-versions config auth diff events wait": "cluster.read",
    "delete": Spec(
        "delete",
        does="cluster.delete",
        options={
            "-n --namespace -l --selector -f --filename": "=-",
            "--all": "+all",
            "--all-namespaces -A": "+all",
            "--force": "+force",
            "--grace-period": "=-",
            "--dry-run": "=-? !cluster.read",
        },
    ),
    "apply create replace patch edit set label annotate scale autoscale rollout expose run cordon uncordon taint": Spec(
        "apply",
        does="cluster.change",
        options={"-n --namespace -f --filename -l": "=-", "--dry-run": "=-? !cluster.read"},
    ),
    "drain": Spec("drain", does="cluster.delete", flags="node"),
    "exec": Spec(
        "exec", operands="container.run command", options={"-n --namespace -c --container": "=-", "-i -t": ""}
    ),
    "port-forward proxy attach cp debug": "cluster.change",
    "*": "cluster.change",
    "": "cluster.read",
}

SPECS = (
    Spec("docker podman nerdctl finch", sub=_DOCKER, options={"-H --host --context --config -l": "=-"}),
    Spec(
        "docker-compose podman-compose",
        options={"-f --file -p --project-name --profile --env-file": "=-"},
        sub=_DOCKER["compose"].sub if isinstance(_DOCKER["compose"], Spec) else {},
    ),
    Spec(
        "kubectl oc k",
        sub=_KUBECTL,
        options={"-n --namespace --context --kubeconfig --cluster --as -s": "=-"},
    ),
    Spec(
        "helm",
        options={"-n --namespace --kube-context": "=-"},
        sub={
            "list ls status get history show search template lint version env": "cluster.read",
            "uninstall delete un": "cluster.delete*",
            "install upgrade rollback": "deploy.release",
            "*": "cluster.change",
        },
    ),
    Spec(
        "kind minikube k3d k3s",
        sub={"delete": "cluster.delete", "get list status version": "cluster.read", "*": "cluster.change"},
    ),
    Spec(
        "kustomize skaffold argocd flux",
        sub={
            "build version diff get list": "cluster.read",
            "delete": "cluster.delete",
            "*": "deploy.release",
        },
    ),
)
