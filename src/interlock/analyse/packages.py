"""Packages: what a package's name says about where it comes from."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from interlock.patterns import late

# Names that many projects install, and that others have been found to imitate.
POPULAR = frozenset(
    (
        "requests numpy pandas django flask tensorflow pytorch scikit-learn matplotlib beautifulsoup4 selenium urllib3 "
        "boto3 cryptography "
        "setuptools pillow sqlalchemy fastapi pydantic aiohttp pytest colorama python-dateutil pyyaml paramiko "
        "psycopg2 openai anthropic langchain "
        "transformers jupyter notebook scrapy tornado celery gunicorn "
        "lodash react express typescript webpack axios moment chalk commander eslint prettier mongoose nodemon "
        "electron cross-env react-dom "
        "next vue angular jquery bootstrap socket.io dotenv puppeteer playwright discord.js ethers web3 node-fetch "
        "body-parser "
        "@anthropic @anthropic-ai @modelcontextprotocol @openai @types @babel @angular @aws-sdk @azure @google-cloud "
        "@nestjs @typescript-eslint @playwright"
    ).split()
)
# Real packages that look like another one.
GENUINE = frozenset(
    (
        "request preact vuex nextra axis expressjs aiohttp2 pyaml celeryd chalks djangos reacts flasks moments dotenvx "
        "pandoc"
    ).split()
)

_VCS = late(
    r"^(?:git\+|hg\+|svn\+|bzr\+|git://|git@|github:|gitlab:|bitbucket:|gist:)|^(?!nixpkgs)[\w.-]+/[\w.-]+(?:#.+)$|@\s*(?:git\+|https?://)"
)
_ARCHIVE = late(
    r"\.(?:whl|tar\.gz|tgz|zip|deb|rpm|apk|vsix|gem|crate|nupkg|pkg\.tar\.\w+|snap|flatpak|AppImage|pkg|msi)$"
)
_LOCAL = late(r"^(?:\.{0,2}/|~|file:|\.{1,2}$)")
_SCOPED = late(r"^(@[\w.-]+)/([\w.-]+)")


def plain_name(text: str) -> str:
    """Return a package's name without scope, version or extras.

    >>> plain_name("@scope/tool@1.2"), plain_name("black[d]==24.1"), plain_name("prisma@latest")
    ('tool', 'black', 'prisma')
    """
    scoped = _SCOPED.match(text)
    name = scoped[2] if scoped else text
    return re.split(r"[@=<>~!\[; ]", name, maxsplit=1)[0]


MAX_NAME = 300


_KERNEL = late(r"(?:linux-(?:image|modules|generic)|kernel-(?:core|default|modules|lts))\b")


def package_flags(text: str) -> frozenset[str]:
    """Return what a package's name says: `url`, `file`, `lookalike`, `critical`, or nothing.

    >>> [sorted(package_flags(name)) for name in ("git+https://example.com/x", "reqeusts", "flask")]
    [['url'], ['lookalike'], []]
    """
    return _flags(text[:MAX_NAME])


@lru_cache(maxsize=1024)
def _flags(text: str) -> frozenset[str]:
    if ("://" in text and not text.startswith("file://")) or _VCS.search(text):
        return frozenset({"url", "plain_http"} if text.startswith("http://") else {"url"})
    if _ARCHIVE.search(text):
        return frozenset({"file"})
    if _LOCAL.match(text):
        return frozenset({"local"})
    scoped = _SCOPED.match(text)
    found = {"lookalike"} if _looks_like_another(scoped[1] if scoped else plain_name(text)) else set()
    if plain_name(text) in CRITICAL or _KERNEL.match(text):
        found.add("critical")
    return frozenset(found)


def _looks_like_another(name: str) -> bool:
    """Whether a name is one slip of the keyboard away from one that everybody knows."""
    name = name.lower()
    if len(name) < 6 or name in POPULAR or name in GENUINE or not name.isascii():
        return False
    table = _near()
    for near in _shorter(name) | {name}:
        for known in table.get(near, ()):
            if known[0] == name[0] and abs(len(known) - len(name)) <= 1:
                return True
    return False


def _shorter(name: str) -> set[str]:
    return {name[:at] + name[at + 1 :] for at in range(1, len(name))}


@cache
def _near() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in sorted(POPULAR):
        if len(name) >= 6:
            for near in _shorter(name) | {name}:
                found.setdefault(near, []).append(name)
    return {near: tuple(names) for near, names in found.items()}


#: Packages of the system without which it does not start, update itself, or let anybody in.
CRITICAL = frozenset(
    (
        "libc6 glibc libc-bin musl bash dash coreutils busybox util-linux systemd systemd-sysv init sysvinit openrc "
        "udev dbus apt dpkg rpm dnf yum "
        "pacman apk-tools alpine-base zypper sudo openssh-server openssh-client openssh linux-image-generic "
        "linux-image-amd64 "
        "kernel kernel-core linux linux-lts "
        "grub grub2 grub-pc grub-efi-amd64 shim-signed initramfs-tools dracut libssl3 openssl ca-certificates python3 "
        "python3-minimal perl-base "
        "login passwd base-files base filesystem e2fsprogs mount network-manager NetworkManager netplan.io "
        "libpam-runtime policykit-1 "
        "ubuntu-minimal ubuntu-desktop ufw firewalld auditd apparmor selinux-policy crowdstrike-falcon falcon-sensor "
        "clamav fail2ban"
    ).split()
)
