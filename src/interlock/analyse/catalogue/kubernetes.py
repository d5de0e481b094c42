"""Kubernetes, and what deploys to it."""

from interlock.analyse.catalogue.cli import Cli
from interlock.analyse.catalogue.spec import Spec

_WHERE = {
    "-n --namespace --context --kubeconfig --cluster --as --as-group -s --server --user --token --request-timeout --cache-dir --certificate-authority -v": "=-",
    "-h --help": "!cluster.read",
}
_DRY = {"--dry-run": "=-? !cluster.read"}
_ON = {
    **_WHERE,
    "-f --filename -k --kustomize -l --selector -o --output --field-selector --field-manager --sort-by --template -L": "=-",
}
_CHANGE = Spec(
    "apply",
    does="cluster.change",
    options={
        **_ON,
        **_DRY,
        "--prune": "+prune",
        "--force": "+force",
        "--replicas --image --overrides --patch -p --type --clusterrole --role --serviceaccount --group --verb --resource --current-replicas --from-literal --from-file --from-env-file --port --target-port --name --restart --env --limits --requests --min --max --cpu-percent --to-revision --timeout": "=-",
        "--all": "+all",
    },
)
_KUBECTL: dict[str, Spec | str] = {
    "get describe logs top explain version cluster-info api-resources api-versions diff events wait options kustomize completion help plugin alpha status projects whoami": Spec(
        "get", does="cluster.read", options=_ON
    ),
    "auth": Spec(
        "auth",
        sub={
            "can-i whoami": Spec("can-i", does="cluster.read"),
            "reconcile": Spec("reconcile", does="cluster.change", flags="rights", options={**_ON, **_DRY}),
            "*": "cluster.read",
        },
    ),
    "rollout": Spec(
        "rollout",
        options=_ON,
        sub={"status history": "cluster.read", "*": Spec("restart", does="cluster.change", options={**_ON, **_DRY})},
    ),
    "config": Spec(
        "config",
        sub={
            "view": Spec("view", does="cluster.read", options={**_WHERE, "--raw": "!secret.read +store +cluster"}),
            "get-contexts get-clusters get-users current-context": "cluster.read",
            "*": "cluster.change",
            "": "cluster.read",
        },
    ),
    "delete del": Spec(
        "delete",
        does="cluster.delete",
        options={
            **_ON,
            **_DRY,
            "--all --all-namespaces -A": "+all",
            "--force --now": "+force",
            "--grace-period --timeout --cascade --wait": "=-?",
            "--ignore-not-found -i --interactive": "",
        },
    ),
    "replace": Spec("replace", does="cluster.change", options={**_CHANGE.options, "--force": "+recreated"}),
    "apply create patch edit set label annotate scale autoscale expose cordon uncordon taint new-app new-project tag adm policy": _CHANGE,
    "run": Spec(
        "run",
        operands="cluster.change command",
        options={**_CHANGE.options, "-i -t --stdin --tty --rm --command --attach": "", "--privileged": "+privileged"},
    ),
    "drain": Spec("drain", does="cluster.delete", flags="node", options={**_ON, **_DRY}),
    "exec rsh": Spec(
        "exec",
        operands="container.run command",
        options={**_WHERE, "-c --container -f --filename": "=-", "-i -t --stdin --tty -q": "", "--": ""},
    ),
    "debug": Spec(
        "debug",
        does="cluster.change",
        operands="cluster.change command",
        options={**_WHERE, "--image --target --profile -c --container --copy-to --set-image": "=-", "-i -t": ""},
    ),
    "proxy": Spec(
        "proxy",
        does="net.listen",
        options={**_WHERE, "-p --port --address --accept-hosts --accept-paths -w --www": "=-"},
    ),
    "certificate": Spec(
        "certificate", sub={"approve": Spec("approve", does="cluster.change", flags="granted"), "*": "cluster.change"}
    ),
    "port-forward": Spec("port-forward", does="cluster.change", options={**_WHERE, "--address": "=-"}),
    "attach cp": Spec("cp", does="cluster.change", options=_WHERE),
    "login logout": "cluster.change",
    "*": "cluster.change",
    "": "cluster.read",
}

SPECS = (
    Spec("kubectl oc k kubecolor k3s-kubectl microk8s.kubectl", sub=_KUBECTL, options=_WHERE),
    Spec(
        "helm",
        options={"-n --namespace --kube-context --kubeconfig": "=-", "-h --help": "!cluster.read"},
        sub={
            "list ls status get history show inspect search template lint version env verify completion help dependency dep": Spec(
                "list", does="cluster.read"
            ),
            "repo plugin registry": Spec("repo", sub={"list ls": "cluster.read", "*": "cluster.change"}),
            "uninstall delete un del": Spec(
                "uninstall",
                does="cluster.delete",
                flags="release",
                options={
                    "-n --namespace --kube-context --timeout --description": "=-",
                    "--dry-run": "=-? !cluster.read",
                    "-h --help": "!cluster.read",
                },
            ),
            "install upgrade rollback": Spec(
                "install",
                does="deploy.release",
                options={
                    "-n --namespace --kube-context -f --values --set --set-string --set-file --version --timeout": "=-",
                    "--dry-run": "=-? !cluster.read",
                    "--post-renderer": "=code:shell",
                    "-h --help": "!cluster.read",
                    "-i --install --wait --atomic": "",
                },
            ),
            "push": "deploy.release",
            "*": "cluster.change",
            "": "cluster.read",
        },
    ),
    Spec(
        "helmfile helmsman",
        options={"-f --file -e --environment -n -l": "=-"},
        sub={
            "list diff template lint status build version": "cluster.read",
            "destroy delete": Spec("destroy", does="cluster.delete", flags="release"),
            "apply sync": "deploy.release",
            "*": "cluster.change",
        },
    ),
    Spec(
        "kind minikube k3d microk8s colima rancher-desktop rdctl",
        options={"-p --profile": "=-"},
        sub={
            "delete": Spec("delete", does="container.change", flags="local_cluster"),
            "cluster": Spec(
                "cluster",
                sub={
                    "delete rm": Spec("delete", does="container.change", flags="local_cluster"),
                    "list": "cluster.read",
                    "*": "container.change",
                },
            ),
            "get list ls status version ip logs profile service dashboard": "cluster.read",
            "kubectl": Spec("kubectl", sub=_KUBECTL, options=_WHERE),
            "*": "container.change",
            "": "cluster.read",
        },
    ),
    Spec(
        "kubeadm",
        sub={
            "reset": Spec(
                "reset",
                does="cluster.delete",
                flags="node",
                options={"--dry-run": "!cluster.read", "-f --force": "+force"},
            ),
            "token": Spec(
                "token", sub={"list": "cluster.read", "create generate": "cluster.change", "*": "cluster.change"}
            ),
            "version config certs": "cluster.read",
            "*": "cluster.change",
        },
    ),
    Spec(
        "k9s kubectx kubens stern kubetail kubeval kubeconform popeye kube-score kubectl-neat krew kail",
        does="cluster.read",
        operands="-*",
    ),
    Cli(
        "argocd flux istioctl velero linkerd skaffold tilt devspace werf kapp rancher kops cilium tkn kn karmadactl clusterctl talosctl k0s k3s garden okteto k0sctl",
        at=0,
        span=3,
        flags="cluster",
        kinds="cluster.read cluster.change cluster.delete",
        options={
            "-n --namespace --context --kubeconfig --server --auth-token -f --filename -c --cluster --state --name": "=-",
            "-y": "",
            "-h": "+help",
            "--cascade": "",
        },
        calls={
            "analyze/proxy-status/proxy-config/check/dashboard/render/bundle/tree/viz": "!cluster.read",
            "app/apps/application list/get/diff/history/manifests/logs/resources/wait": "!cluster.read",
            "app/apps/application delete": "!cluster.delete +release",
            "app sync": "!deploy.release",
            "app rollback/set/create": "!deploy.release",
            "app delete-resource": "!cluster.delete",
            "appset/proj/repo/cluster rm/delete": "!cluster.delete",
            "account generate-token/update-password": "+granted",
            "account get/list/can-i": "!cluster.read",
            "admin initial-password": "!secret.read +store",
            "uninstall": "!cluster.delete +release",
            "uninstall --purge": "!cluster.delete +release",
            "x": "!cluster.delete",
            "suspend": "+disabled",
            "reconcile": "!deploy.release",
            "bootstrap": "!deploy.release",
            "install": "!deploy.release",
            "run": "!deploy.release",
            "dev": "!deploy.release",
            "deploy": "!deploy.release",
            "converge": "!deploy.release",
            "up": "!deploy.release",
            "down": "!cluster.delete",
            "backup delete": "!cluster.delete +backup",
            "schedule/restore delete": "!cluster.delete +backup",
            "backup-location delete": "!cluster.delete +backup",
            "restore create": "!cluster.change +restored",
            "backup create": "!cluster.change",
            "delete cluster": "!cluster.delete +all",
            "delete": "!cluster.delete",
            "reset": "!cluster.delete +node",
            "server": "!process.spawn",
            "agent": "!process.spawn",
            "kubectl": "",
            "build": "!cluster.read",
            "diff": "!cluster.read",
            "diagnose": "!cluster.read",
            "inject": "!cluster.read",
            "version": "!cluster.read",
        },
    ),
    Spec(
        "k3s-uninstall.sh k3s-agent-uninstall.sh k3s-killall.sh rke2-uninstall.sh rke2-killall.sh",
        does="cluster.delete",
        flags="node",
    ),
    Spec("kustomize kompose kubeseal jsonnet ytt kapitan tanka tk", does="cluster.read", operands="-*"),
)

#: The kinds of objects whose loss or change means more than others', by every name they go by.
OBJECTS: dict[str, str] = {
    **dict.fromkeys("ns namespace namespaces project projects".split(), "namespace"),
    **dict.fromkeys(
        "pv pvc persistentvolume persistentvolumes persistentvolumeclaim persistentvolumeclaims sc storageclass storageclasses volumesnapshot volumesnapshots".split(),
        "volume",
    ),
    **dict.fromkeys("crd crds customresourcedefinition customresourcedefinitions".split(), "definition"),
    **dict.fromkeys("no node nodes machine machines".split(), "node"),
    **dict.fromkeys("secret secrets".split(), "secret"),
    **dict.fromkeys("sts statefulset statefulsets".split(), "stateful"),
    **dict.fromkeys(
        "clusterrolebinding clusterrolebindings rolebinding rolebindings clusterrole clusterroles role roles".split(),
        "rights",
    ),
    **dict.fromkeys("sa serviceaccount serviceaccounts".split(), "account"),
    **dict.fromkeys("token".split(), "token"),
    **dict.fromkeys(
        "netpol networkpolicy networkpolicies psp podsecuritypolicy validatingwebhookconfiguration validatingwebhookconfigurations mutatingwebhookconfiguration mutatingwebhookconfigurations resourcequota limitrange".split(),
        "policy",
    ),
    **dict.fromkeys("pod pods po".split(), "pod"),
}
