"""Where a server listens, and what it refuses."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from interlock.config.addresses import is_loopback
from interlock.config.settings import ServerSettings
from interlock.errors import InterlockError
from interlock.server.listen_options import ListenOptions, bind_socket


def listen(**given: object) -> ListenOptions:
    settings = {name: given.pop(name) for name in ("host", "port", "public_url") if name in given}
    return ListenOptions(settings=ServerSettings(**settings), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_loopback_needs_nothing(host: str) -> None:
    assert is_loopback(host)
    listen(host=host).check()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "192.168.1.5", "example.com", "127.0.0.1.example.com"])
def test_beyond_it_tls_or_a_word_is_needed(host: str, tmp_path: Path) -> None:
    with pytest.raises(InterlockError, match="without TLS anybody on the network can read keys") as refused:
        listen(host=host).check()
    assert "--tls-cert" in str(refused.value)
    assert "--behind-proxy" in str(refused.value)
    for name in ("cert", "key"):
        (tmp_path / name).write_text("x")
    listen(host=host, tls_cert=tmp_path / "cert", tls_key=tmp_path / "key").check()
    listen(host=host, behind_proxy=True, public_url="https://interlock.example.com").check()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"host": "0.0.0.0", "behind_proxy": True}, "--public-url https://"),
        ({"host": "0.0.0.0", "behind_proxy": True, "public_url": "http://x.example"}, "--public-url https://"),
        ({"public_url": "ftp://x.example"}, "a public URL has the form"),
        ({"public_url": "https://x.example/path"}, "a public URL has the form"),
        ({"public_url": "x.example"}, "a public URL has the form"),
        ({"tls_cert": Path("cert.pem")}, "needs both"),
        ({"tls_cert": Path("none.pem"), "tls_key": Path("none.key")}, "there is no file"),
    ],
)
def test_invalid_options_are_rejected(given: dict[str, object], said: str) -> None:
    with pytest.raises(InterlockError, match=said):
        listen(**given).check()


def test_it_answers_by_its_own_names_only() -> None:
    assert listen().hosts == {"127.0.0.1", "localhost", "[::1]"}
    proxied = listen(host="10.0.0.7", behind_proxy=True, public_url="https://interlock.example.com")
    assert proxied.hosts == {"interlock.example.com", "10.0.0.7"}
    assert listen(host="::1").url == "http://[::1]:8700"


def test_a_port_in_use_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InterlockError, match="try another `--port`"):
            bind_socket(listen(port=taken.getsockname()[1]))
