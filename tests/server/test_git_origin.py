"""A repository is not trusted: asking git about it runs nothing that its configuration names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from interlock.cli.git_origin import find_origin
from tests.server.policy_repository import PolicyRepository, policy_text


@pytest.mark.parametrize("remote", ["ssh://git.example/x", "ext::sh -c true", "{folder}/other"])
def test_nothing_is_fetched_for_a_partial_clone(tmp_path: Path, remote: str) -> None:
    repository, marker = PolicyRepository(tmp_path, "partial"), tmp_path / "ran"
    commit = repository.commit(deploys=policy_text("deploys", "block"))

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=repository.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet", "--bare", str(tmp_path / "other"))
    tree = git("rev-parse", "HEAD^{tree}")
    (repository.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for name, value in {
        "core.repositoryformatversion": "1",
        "core.sshCommand": f"touch {marker}; false",
        "extensions.partialClone": "origin",
        "protocol.allow": "always",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": f"touch {marker}; false",
        "remote.origin.url": remote.format(folder=tmp_path).replace("sh -c true", f"touch {marker}"),
    }.items():
        git("config", name, value)
    origin = find_origin(repository.folder, None, None, None)
    assert not marker.exists()
    assert (origin.commit, origin.dirty) == (commit, True)
