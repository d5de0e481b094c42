import collections
import json
import subprocess
import sys


def kubectl(*args):
    out = subprocess.run(["kubectl", *args, "-o", "json"], check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def parse_cpu(text):
    return int(text[:-1]) if text.endswith("m") else int(float(text) * 1000)


def parse_memory(text):
    for suffix, factor in (("Ki", 1 / 1024), ("Mi", 1), ("Gi", 1024), ("Ti", 1024 * 1024)):
        if text.endswith(suffix):
            return float(text[:-2]) * factor
    return float(text) / 1024 / 1024


def requests_of(pod):
    cpu = memory = 0
    for container in pod["spec"]["containers"]:
        wanted = container.get("resources", {}).get("requests", {})
        cpu += parse_cpu(wanted.get("cpu", "0"))
        memory += parse_memory(wanted.get("memory", "0"))
    return cpu, memory


def restarts(pod):
    return sum(status["restartCount"] for status in pod["status"].get("containerStatuses", []))


def owner(pod):
    references = pod["metadata"].get("ownerReferences", [])
    return references[0]["name"].rsplit("-", 1)[0] if references else pod["metadata"]["name"]


def images(pod):
    return [container["image"] for container in pod["spec"]["containers"]]


def report(namespace):
    pods = kubectl("get", "pods", "-n", namespace)["items"]
    totals = collections.defaultdict(lambda: [0, 0, 0, 0])
    for pod in pods:
        cpu, memory = requests_of(pod)
        entry = totals[owner(pod)]
        entry[0] += 1
        entry[1] += cpu
        entry[2] += memory
        entry[3] += restarts(pod)
    print(f"{'workload':<32}{'pods':>5}{'cpu':>8}{'memory':>10}{'restarts':>10}")
    for name, (count, cpu, memory, again) in sorted(totals.items()):
        print(f"{name:<32}{count:>5}{cpu:>7}m{memory:>8.0f}Mi{again:>10}")
    latest = [image for pod in pods for image in images(pod) if image.endswith(":latest") or ":" not in image]
    for image in sorted(set(latest)):
        print("not pinned:", image)


if __name__ == "__main__":
    for name in sys.argv[1:] or ["default"]:
        print(f"== {name}")
        report(name)
