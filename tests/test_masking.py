"""Masking: secrets are taken out by name, by shape and by entropy; ordinary text stays as it is."""

from __future__ import annotations

import random
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.audit.masking import _HINT, _has_hint, mask, mask_classes, mask_text
from interlock.config.settings import PERSONAL_DATA

SECRET = "hunter2-Tr0ub4dor"

HOLDS = [
    "export DB_PASSWORD={}",
    "DB_PASSWORD='{}' ./run",
    "mysql -u root -p{} shop",
    "mysqldump --password={} shop",
    "psql postgresql://ann:{}@db/shop",
    "redis-cli -a x --pass {}",
    "curl -u ann:{} https://example.com",
    "curl --user=ann:{} https://example.com",
    "curl -H 'Authorization: Bearer {}' https://example.com",
    "curl -H 'X-Api-Key: {}' https://example.com",
    "curl https://example.com/?api_key={}&x=1",
    'curl -d \'{{"password": "{}"}}\' https://example.com',
    "docker login -u ann --password {} registry",
    "git clone https://ann:{}@example.com/x.git",
    "kubectl create secret generic x --from-literal=token={}",
    "aws configure set aws_secret_access_key={}",
    "echo 'SECRET_KEY = \"{}\"' >> settings.py",
    "password: {}",
    "client_secret={}",
    "sshpass -p x ssh --password={} host",
    "amqp://guest:{}@rabbit/",
    "mongodb+srv://u:{}@cluster.example.com/db",
    "Cookie: session_id={}",
    "set PGPASSWORD={}",
    'curl -d "{{\\"password\\":\\"{}\\"}}" https://example.com',
    "os.environ['DB_PASSWORD'] = '{}'",
    'cfg["password"] = "{}"',
    "password => '{}'",
    "define('DB_PASSWORD', '{}')",
    "<password>{}</password>",
    "ALTER USER ann WITH PASSWORD '{}'",
    "CREATE USER ann IDENTIFIED BY '{}'",
    "Authorization: {}",
    "Authorization: Token {}",
    "https://{}@example.com/x.git",
    "https://example.com/?key={}",
    "https://example.com/?sig={}&x=1",
    "sshpass -p {} ssh host",
    "docker login -u ann -p {} registry",
    "redis-cli -h db -a {} ping",
    "curl --proxy-user ann:{} https://example.com",
    'PASSWORD="{} with spaces, and a comma" ./run',
    "postgresql://ann:{}/slash@db/shop",
]


@pytest.mark.parametrize("text", HOLDS)
def test_a_secret_is_masked_by_its_name_or_place(text: str) -> None:
    found = mask_text(text.format(SECRET))
    assert SECRET not in found
    assert re.search(r"‹\d+ masked›", found)


SHAPES = [
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_" + "a1B2" * 9,
    "github_pat_11ABCDEFG0abcdefghijkl_mnop",
    "glpat-abcdEFGH1234ijklMNOP",
    "xoxb-123456789012-abcdefghijkl",
    "sk-proj-abcdefghijklmnopqrstuvwxyz",
    "sk-ant-api03-abcdefghijklmnop",
    "sk_live_abcdefghijklmnop1234",
    "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
    "hf_abcdefghijklmnopqrstuvwxyz",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----",
]


@pytest.mark.parametrize("secret", SHAPES)
def test_a_secret_is_masked_by_its_shape(secret: str) -> None:
    found = mask_text(f"echo {secret} | tee x")
    assert secret not in found
    assert found.startswith("echo ‹")
    assert found.endswith(" | tee x")


def test_a_secret_is_masked_by_its_entropy() -> None:
    chance = random.Random(3)
    for _ in range(200):
        secret = "".join(chance.choices(string.ascii_letters + string.digits, k=32)) + "aB3"
        assert secret not in mask_text(f"deploy {secret} now")


PLAIN = [
    "git log --grep password",
    "git show 3f2a1b4c5d6e7f8091a2b3c4d5e6f708192a3b4c",
    "docker pull alpine@sha256:" + "0a1b2c3d" * 8,
    "cat /etc/passwd",
    "npm install some-very-long-package-name-with-hyphens@1.2.3",
    "rm -rf /home/user/project/node_modules/.cache/Babel7/x",
    "TOKEN=$GITHUB_TOKEN ./run",
    'curl -H "Authorization: Bearer $TOKEN" https://example.com',
    "git push origin feature/JIRA-1234-Add-Token-Refresh",
    "python -m pytest tests/test_authentication_and_authorization.py",
    "kubectl get pods --namespace payments-production-europe-west1",
    "git commit -m 'the author is Ann'",
    "ls -la ~/.ssh",
    "docker login --password-stdin",
]


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert mask_text(text) == text


def test_a_mask_hides_no_command() -> None:
    """What follows a secret is shown: an approver must see it."""
    for text in (
        ": '-----BEGIN PRIVATE KEY-----'; ./evil.sh; echo done",
        "run --token x1y2z3`./evil.sh`",
        "TOKEN=abc123;./evil.sh",
        "PASSWORD='abc123' ./evil.sh",
    ):
        assert "./evil.sh" in mask_text(text)


def test_lists_and_pairs_name_their_secrets() -> None:
    assert mask(["login", "--password", "x1", "--user", "ann"]) == [
        "login",
        "--password",
        "‹2 masked›",
        "--user",
        "ann",
    ]
    assert mask([{"name": "DB_PASSWORD", "value": "x1"}]) == [{"name": "DB_PASSWORD", "value": "‹2 masked›"}]
    for name in "pass auth authorization cookie passphrase passcode pin otp bearer session_id tokens secrets".split():
        assert mask({name: "x1y2"}) == {name: "‹4 masked›"}, name
    assert mask({"author": "ann", "spinner": "on", "company": "x", "keyboard": "de"}) == {
        "author": "ann",
        "spinner": "on",
        "company": "x",
        "keyboard": "de",
    }


def test_what_a_secret_s_name_names_is_masked_whole() -> None:
    found = mask(
        {
            "apiKey": "abc",
            "nested": [{"db-password": "x1", "user": "ann"}],
            "token": {"access": "y2"},
            "keyboard": "de",
            "password": "",
            "secret": None,
            "data": b"\0\1",
            "rate": float("nan"),
        }
    )
    assert found["apiKey"] == "‹3 masked›"
    assert found["nested"] == [{"db-password": "‹2 masked›", "user": "ann"}]
    assert found["token"] == "‹masked›"
    assert (found["keyboard"], found["password"], found["secret"]) == ("de", "", None)
    assert (found["data"], found["rate"]) == ("‹2 bytes›", "nan")


@given(st.text(max_size=300))
def test_masking_takes_anything_and_is_stable(text: str) -> None:
    once = mask_text(text)
    assert "\0" not in once
    once.encode("utf-8")
    assert mask_text(once) == once


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@given(_JSON)
def test_what_is_masked_can_be_written(value: object) -> None:
    import msgspec

    msgspec.json.encode(mask(value), order="sorted")


@pytest.mark.parametrize(
    "text", ["", "ls x", "ls -a", "ls\t-A", "x-a", "my PIN", "https://x", "docKer", "paſs", "a-key"]
)
def test_words_that_hint_at_a_secret_are_those_of_the_pattern(text: str) -> None:
    assert _has_hint(text) is (_HINT.search(text) is not None)


PERSONAL = {
    "a card": ("charge 4111 1111 1111 1111 now", "4111"),
    "a card without gaps": ("charge 5555555555554444 now", "5555"),
    "a card with dashes": ("3782-822463-10005", "3782"),
    "an account": ("to DE89 3704 0044 0532 0130 00 please", "3704"),
    "an account without gaps": ("GB82WEST12345698765432", "WEST"),
    "an account before a word": ("iban FR1420041010050500013M02606 SUM 12", "2004"),
    "a social security number": ("ssn 078-05-1120.", "078"),
    "a national insurance number": ("NI AB123456C", "123456"),
    "a Brazilian number": ("cpf 529.982.247-25", "529"),
    "a French number": ("nir 2 55 08 14 168 025 38", "168"),
    "a Spanish number": ("dni 12345678Z", "12345678"),
    "an Italian code": ("cf RSSMRA85T10A562S", "RSSMRA"),
}
ORDINARY = [
    "order 4111 1111 1111 1112",
    "0000 0000 0000 0000",
    "2024-10-11 20:15:33",
    "1700000000000",
    "v1.2.3-45-6789",
    "DE00 3704 0044 0532 0130 00",
    "529.982.247-26",
    "12345678A",
    "192.168.100.200",
    "123-45-67890",
    "000-12-3456",
]


@pytest.mark.parametrize("name", PERSONAL)
def test_personal_data_is_masked(name: str) -> None:
    text, part = PERSONAL[name]
    assert part not in mask_text(text)
    assert "masked" in mask_text(text)
    assert part not in str(mask({"note": text, "nested": [{"x": text}]}))


@pytest.mark.parametrize("text", ORDINARY)
def test_other_numbers_are_left_alone(text: str) -> None:
    assert mask_text(text) == text


def test_a_card_that_is_a_number_is_masked() -> None:
    assert mask({"card": 4111111111111111, "at": 1700000000000, "n": 3}) == {
        "card": "‹16 masked›",
        "at": 1700000000000,
        "n": 3,
    }


def test_masking_personal_data_can_be_switched_off() -> None:
    try:
        mask_classes(["accounts"])
        assert mask_text("4111 1111 1111 1111") == "4111 1111 1111 1111"
        assert "masked" in mask_text("GB82WEST12345698765432")
    finally:
        mask_classes(PERSONAL_DATA)
