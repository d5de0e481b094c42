"""Secrets by the words that people call them by, and what is public although it looks like one."""

from __future__ import annotations

#: Words that make a data file a secret: `db-password.txt`, `api_token.json`, `prod.credentials`.
SECRET_WORDS = frozenset(
    "secret secrets credential credentials cred creds password passwords passwd passphrase token apikey "
    "privatekey secretkey accesskey".split()
)
#: Words behind a secret's name that say which one it is.
VARIANTS = frozenset("prod production dev development staging stage test local backup old new default main".split())
#: Two words that together are one: `api_key`, `private-key`.
SECRET_PAIRS = frozenset(
    {
        ("api", "key"),
        ("api", "keys"),
        ("private", "key"),
        ("secret", "key"),
        ("access", "key"),
        ("master", "key"),
        ("encryption", "key"),
        ("signing", "key"),
        ("deploy", "key"),
        ("service", "account"),
    }
)
#: Endings of files that hold data. Source text with such a name (`token.py`, `password_reset.html`) holds none.
DATA_SUFFIXES = frozenset(
    ".json .yaml .yml .toml .txt .ini .cfg .conf .properties .xml .env .enc .bak .old .plist .db .sqlite .csv".split()
)

#: Folders whose data files are secrets.
SECRET_FOLDERS = frozenset({"secrets", ".secrets", "credentials", ".credentials"})

#: What is meant to be read by everyone, though it stands in a secret folder.
PUBLIC = frozenset({".ssh/known_hosts", ".azure/config", ".kube/cache", ".kube/http-cache", ".docker/cli-plugins"})
PUBLIC_SUFFIXES = (".pub", ".example", ".sample", ".template", ".dist", ".tmpl", ".md", ".crt", ".cer", ".csr")
#: Certificates, which are public, often end like keys.
PUBLIC_WORDS = frozenset("cert certs certificate ca cacert cacerts chain fullchain bundle public pubkey".split())
