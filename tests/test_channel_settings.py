"""`[channels.NAME]`: mistakes are named with their line and a correction, and secrets stay out of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.config.schema import parse
from interlock.documents import Document
from interlock.errors import ConfigError

SLACK = 'kind = "slack"\ntoken_env = "T"\nsigning_secret_file = "/etc/interlock/slack"\n'


def channels(text: str, name: str = "ops") -> Document:
    return Document(f"[channels.{name}]\n{text}", "interlock.toml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "interlock.toml:1: channel `ops` needs a `kind`"),
        ('kind = "slak"', "did you mean `slack`?"),
        ('kind = "apprise"\nurl = "ntfys://x"', "3: `url` must not be in this file; write the name of a variable as"),
        ('kind = "telegram"\ntoken_envv = "T"', "did you mean `token_env`?"),
        ('kind = "telegram"', "needs either `token_env` or `token_file`, found neither"),
        ('kind = "apprise"\nurl_env = "U"\nurl_file = "/u"', "needs either `url_env` or `url_file`, found both"),
        ('kind = "telegram"\ntoken_env = "123:abc"', "never the secret"),
        ('kind = "telegram"\ntoken_file = "token"', "must be an absolute path"),
        (f'{SLACK}api_url = "http://slack.example"', "must use https"),
        ('kind = "apprise"\nurl_env = 3', "must be a string"),
    ],
)
def test_mistakes_are_named(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as found:
        parse(channels(text))
    assert problem in str(found.value)


@pytest.mark.parametrize("name", ["browser", "Ops", '"a b"'])
def test_names_are_plain(name: str) -> None:
    with pytest.raises(ConfigError, match="a channel's name has"):
        parse(channels('kind = "apprise"', name))


def test_secrets_are_read_where_the_settings_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    file.write_text("  s3cret\n")
    monkeypatch.setenv("T", "t0ken")
    found = parse(channels(SLACK.replace("/etc/interlock/slack", str(file)))).channels["ops"]
    assert (found.kind, found.read_secret("token"), found.read_secret("signing_secret")) == ("slack", "t0ken", "s3cret")
    monkeypatch.delenv("T")
    with pytest.raises(ConfigError, match="channel `ops`: there is no token in the variable `T`"):
        found.read_secret("token")
    file.unlink()
    with pytest.raises(ConfigError, match="`signing_secret_file` cannot be read"):
        found.read_secret("signing_secret")
