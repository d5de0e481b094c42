"""Shadowed commands: programs, functions and aliases that take the name of a command that everyone uses."""

from __future__ import annotations

#: Commands that a system has anyway: a program of this name in a folder of one's own is run instead of it.
COMMANDS = frozenset(
    (
        "apt apt-get awk bash brew cat cd chmod chown cp crontab curl cut dash date dd df diff dig dnf docker "
        "dpkg du echo env find gcc git gpg gpg2 grep gunzip gzip head id kill kubectl ldd less ln login ls make "
        "man mkdir more mount mv nano nc node npm npx openssl pacman passwd perl pgrep ping pip pip3 pkill podman "
        "ps pwd python python3 rm rsync ruby scp sed service sftp sh sort ssh ssh-add ssh-agent ssh-keygen stat "
        "su sudo systemctl tail tar tee test top touch tr umount uname unzip vi vim wc wget which who whoami "
        "xargs yum zip zsh"
    ).split()
)
#: Commands that ask for a password or a key.
CONFIDANTS = frozenset("sudo su doas ssh scp sftp gpg gpg2 passwd login ssh-add pass op vault kinit".split())

#: Programs that decide what an agent may do.
GUARDS = frozenset("interlock nah dippy vectimus cc-safety-net dcg tirith agentshield".split())


def shadows(full: str) -> bool:
    """Whether a file in a folder of programs below home takes the place of a command.

    >>> shadows("/home/u/.local/bin/git"), shadows("/home/u/.local/bin/my-tool"), shadows("/home/u/project/bin/git")
    (True, False, False)
    """
    folder, _, name = full.rpartition("/")
    return name in COMMANDS and folder.endswith(("/.local/bin", "/bin")) and _is_personal(folder)


#: Folders in which a package manager puts the programs of a project's packages, which scripts call by their names.
_INSTALLED = ("/node_modules/.bin", "/.venv/bin", "/venv/bin", "/vendor/bin", "/.venv/Scripts")


def replaces_tool(full: str) -> bool:
    """Whether a file takes the place of a program that a package manager has put into a project.

    >>> replaces_tool("/home/u/app/node_modules/.bin/eslint"), replaces_tool("/home/u/app/bin/eslint")
    (True, False)
    """
    return full.rpartition("/")[0].endswith(_INSTALLED)


def _is_personal(folder: str) -> bool:
    """Whether a folder of programs belongs to one user: `~/bin`, `~/.local/bin`."""
    parent = folder.removesuffix("/.local/bin").removesuffix("/bin")
    return parent == "~" or parent == "/root" or parent.rpartition("/")[0] in ("/home", "/Users")
