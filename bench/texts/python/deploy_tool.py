#!/usr/bin/env python3
"""Build, test and deploy the service to one of the environments."""
import argparse
import json
import shlex
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = "registry.example.com/team/service"


@dataclass(frozen=True)
class Environment:
    name: str
    namespace: str
    url: str
    replicas: int
    protected: bool = False


ENVIRONMENTS = {
    "dev": Environment("dev", "service-dev", "https://dev.service.example.com", 1),
    "staging": Environment("staging", "service-staging", "https://staging.service.example.com", 2),
    "prod": Environment("prod", "service", "https://service.example.com", 6, protected=True),
}


class DeployError(RuntimeError):
    pass


def log(message, level="info"):
    stamp = time.strftime("%H:%M:%S")
    print(f"[{stamp}] {level.upper():<5} {message}", flush=True)


def run(*command, capture=False, check=True, cwd=ROOT):
    log("$ " + shlex.join(command))
    result = subprocess.run(command, cwd=cwd, text=True, capture_output=capture)
    if check and result.returncode != 0:
        raise DeployError(f"{command[0]} failed with {result.returncode}")
    return result.stdout if capture else result.returncode


def git_sha():
    return run("git", "rev-parse", "--short", "HEAD", capture=True).strip()


def is_clean():
    return not run("git", "status", "--porcelain", capture=True).strip()


def image_name(tag):
    return f"{REGISTRY}:{tag}"


def build(tag):
    log(f"building {tag}")
    run("docker", "build", "--pull", "-t", image_name(tag), ".")


def run_tests(tag):
    log("running tests")
    run("docker", "run", "--rm", image_name(tag), "pytest", "-q")


def push(tag):
    run("docker", "push", image_name(tag))


def kubectl(environment, *args, capture=False):
    return run("kubectl", "--namespace", environment.namespace, *args, capture=capture)


def apply_manifests(environment, tag):
    kubectl(environment, "apply", "-f", f"deploy/{environment.name}")
    kubectl(environment, "set", "image", "deployment/service", f"service={image_name(tag)}")
    kubectl(environment, "scale", "deployment/service", f"--replicas={environment.replicas}")


def wait_for_rollout(environment, timeout=300):
    kubectl(environment, "rollout", "status", "deployment/service", f"--timeout={timeout}s")


def roll_back(environment):
    log("rolling back", "warn")
    kubectl(environment, "rollout", "undo", "deployment/service")


def health(environment):
    with urllib.request.urlopen(f"{environment.url}/healthz", timeout=10) as response:
        return json.loads(response.read())


def check_health(environment, tag, attempts=10, pause=3):
    for attempt in range(1, attempts + 1):
        try:
            found = health(environment)
        except OSError as error:
            log(f"attempt {attempt}: {error}", "warn")
        else:
            if found.get("version") == tag:
                log(f"healthy: {found}")
                return True
            log(f"attempt {attempt}: version is {found.get('version')}")
        time.sleep(pause)
    return False


def confirm(environment):
    answer = input(f"Deploy to {environment.name}? Type the name to confirm: ")
    if answer.strip() != environment.name:
        raise DeployError("not confirmed")


def deploy(environment, tag, skip_tests=False):
    if environment.protected:
        if not is_clean():
            raise DeployError("the working tree has changes")
        confirm(environment)
    build(tag)
    if not skip_tests:
        run_tests(tag)
    push(tag)
    apply_manifests(environment, tag)
    wait_for_rollout(environment)
    if not check_health(environment, tag):
        roll_back(environment)
        raise DeployError("unhealthy after rollout")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environment", choices=sorted(ENVIRONMENTS))
    parser.add_argument("--tag")
    parser.add_argument("--skip-tests", action="store_true")
    args = parser.parse_args()
    environment = ENVIRONMENTS[args.environment]
    tag = args.tag or git_sha()
    try:
        deploy(environment, tag, args.skip_tests)
    except DeployError as error:
        log(str(error), "error")
        return 1
    log(f"deployed {tag} to {environment.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
