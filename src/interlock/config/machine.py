"""The kind of this machine: a person's own, or a disposable one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

PERSONAL, DISPOSABLE = "personal", "disposable"
MACHINES = (PERSONAL, DISPOSABLE)
# Variables that identify CI runners, dev containers and hosted workspaces.
_VARIABLES = (
    "GITHUB_ACTIONS", "GITLAB_CI", "CIRCLECI", "BUILDKITE", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "DRONE",
    "BITBUCKET_BUILD_NUMBER", "CODESPACES", "REMOTE_CONTAINERS", "DEVCONTAINER", "GITPOD_WORKSPACE_ID",
)  # fmt: skip
# Files that only root can make, in containers and on hosted runners.
_EVIDENCE = ("/.dockerenv", "/run/.containerenv", "/opt/hostedtoolcache")


def detect_machine(environment: Mapping[str, str] = os.environ, exists: Callable[[str], bool] = os.path.exists) -> str:
    """Return `disposable` in a container, CI runner or dev container that says so in its environment.

    A variable alone is not enough, because a project's own settings can set one; a file that root made is needed too.
    """
    says = any(environment.get(name, "").lower() not in ("", "0", "false") for name in _VARIABLES)
    return DISPOSABLE if says and any(map(exists, _EVIDENCE)) else PERSONAL
