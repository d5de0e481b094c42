"""A disk that can be full for a while: a mounted one, or else a limit on the size of files."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

ROOM = 2_000_000_000
PAGE = 4_096


class Disk:
    """A folder on a disk of its own, if that is permitted."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.is_mounted = self._mount("-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs")

    def _mount(self, *options: str) -> bool:
        return subprocess.run(["mount", *options, str(self.folder)], capture_output=True).returncode == 0

    @property
    def kind(self) -> str:
        """How the disk is made full."""
        return "a disk of its own" if self.is_mounted else "a limit on the size of files"

    def fill(self, pid: int) -> None:
        """Leave no room for a process."""
        if self.is_mounted:
            found = os.statvfs(self.folder)
            used = (found.f_blocks - found.f_bfree) * found.f_frsize
            self._resize(used + PAGE)
            return
        largest = max((file.stat().st_size for file in self.folder.iterdir()), default=0)
        _limit_files(pid, largest)

    def free(self, pid: int) -> None:
        """Make room again."""
        if self.is_mounted:
            self._resize(ROOM)
        else:
            _limit_files(pid, resource.RLIM_INFINITY)

    def _resize(self, size: int) -> None:
        if not self._mount("-o", f"remount,size={size}"):
            raise SystemExit(f"could not resize the disk at {self.folder}")

    def remove(self) -> None:
        """Unmount the disk."""
        if self.is_mounted:
            subprocess.run(["umount", "-l", str(self.folder)], check=True)


def _limit_files(pid: int, size: int) -> None:
    """Limit the size of the files that a process can write; the hard limit stays, so that this can be undone."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))
