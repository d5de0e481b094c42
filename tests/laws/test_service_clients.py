"""What a call of a service client does is told by where its object comes from, not by what a variable is called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Engine
from interlock.analyse.clients.service_words import TABLE, TELLING

WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
ENGINE = Engine()
NAMES = ["client", "c", "cache", "path", "items", "df", "test_client", "session_1", "x", "delete_me"]
#: Code with a client in `{name}`, which changes or destroys something.
CHANGES = [
    "import boto3\n{name} = boto3.client('ec2')\n{name}.terminate_instances(InstanceIds=['i-1'])",
    "import boto3\n{name} = boto3.resource('s3').Bucket('b')\n{name}.objects.all().delete()",
    "from azure.mgmt.compute import ComputeManagementClient\n"
    "{name} = ComputeManagementClient(key, 's')\n{name}.virtual_machines.begin_delete('rg', 'vm')",
    "from acme_cloud import Client\n{name} = Client(profile='production')\n{name}.clusters.destroy('c1')",
    "import stripe\nfor {name} in stripe.Charge.list():\n    stripe.Refund.create(charge={name}.id)",
    "from github import Github\n{name} = Github(token).get_repo('a/b')\n{name}.delete()",
    "from kubernetes import client as k\n{name} = k.AppsV1Api()\n{name}.delete_namespaced_deployment('web', 'shop')",
    "import digitalocean\n{name} = digitalocean.Manager(token=key)\n"
    "for d in {name}.get_all_droplets():\n    d.destroy()",
]
#: Code that makes a client at an address, and destroys something with it.
PLACED = [
    "import boto3\nboto3.client('s3', endpoint_url='{url}').delete_bucket(Bucket='b')",
    "import boto3\nboto3.resource('dynamodb', endpoint_url='{url}').Table('t').delete()",
    "import hvac\nhvac.Client(url='{url}').sys.disable_secrets_engine('kv')",
    "from acme import ApiClient\nApiClient('{url}').tenants.delete('t1')",
    "from pymongo import MongoClient\nMongoClient('{url}').drop_database('shop')",
    "from keycloak import KeycloakAdmin\nKeycloakAdmin(server_url='{url}').delete_user('u')",
]
CONTAINERS = [
    "[1, 2]",
    "{'a': 1}",
    "{1, 2}",
    "list()",
    "dict()",
    "set()",
    "'text'",
    "b'bytes'",
    "bytearray(4)",
    "(1, 2)",
]


def rank(code: str) -> int:
    return ENGINE.decide(Action.python(code, **WHERE)).verdict.rank


ASKS = rank(CHANGES[0].format(name="client"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("code", CHANGES)
def test_renaming_a_variable_changes_no_verdict(code: str, name: str) -> None:
    assert rank(code.format(name=name)) == rank(code.format(name="client")) >= ASKS


@pytest.mark.parametrize("near", ["http://localhost:4566", "http://127.0.0.1:9000", "http://[::1]:8000"])
@pytest.mark.parametrize("code", PLACED)
def test_a_client_of_this_machine_never_ranks_above_one_of_another(code: str, near: str) -> None:
    assert rank(code.format(url=near)) <= rank(code.format(url="https://service.example.com"))


METHODS = sorted({m for m in dir(list) + dir(dict) + dir(set) + dir(str) if m[0] != "_"})


@pytest.mark.parametrize("made", CONTAINERS)
def test_methods_of_pythons_own_containers_never_ask(made: str) -> None:
    assert [method for method in METHODS if rank(f"x = {made}\nx.{method}(1)") >= ASKS] == []


@given(method=st.sampled_from(sorted({*TABLE.methods.destroying, "delete_all", "remove", "drop"} - TELLING.keys())))
@pytest.mark.parametrize("library", ["numpy", "pandas", "networkx", "tkinter", "openpyxl", "cachetools", "torch"])
def test_objects_of_local_libraries_never_ask(library: str, method: str) -> None:
    assert rank(f"import {library}\nx = {library}.Thing('a')\nx.{method}('b')") < ASKS


@pytest.mark.parametrize("code", PLACED)
def test_a_library_for_tests_that_is_only_imported_changes_nothing(code: str) -> None:
    far = code.format(url="https://service.example.com")
    assert rank(f"import moto, responses\nfrom unittest import mock\n{far}") == rank(far)


@pytest.mark.parametrize(
    "around", ["with mock.patch('os.getcwd'):", "with responses.RequestsMock():", "with freezegun.freeze_time('2024'):"]
)
@pytest.mark.parametrize("code", PLACED)
def test_a_context_that_does_not_stand_in_for_the_service_changes_nothing(code: str, around: str) -> None:
    far = code.format(url="https://service.example.com").split("\n")
    inside = "\n".join([far[0], "from unittest import mock", "import responses, freezegun", around, f"    {far[1]}"])
    assert rank(inside) >= rank("\n".join(far))


def test_a_variable_leads_only_its_own_clients_to_this_machine() -> None:
    variable = "import os\nos.environ['PUBSUB_EMULATOR_HOST'] = 'localhost:80'\n"
    assert rank(variable + CHANGES[0].format(name="c")) >= ASKS
    assert (
        rank(variable + "from google.cloud import pubsub_v1\npubsub_v1.PublisherClient().delete_topic(topic='t')")
        < ASKS
    )


def test_a_stub_answers_for_its_own_client_and_while_it_is_active() -> None:
    made = "import boto3\nfrom botocore.stub import Stubber\nc = boto3.client('ec2')\nd = boto3.client('ec2')\n"
    call = "terminate_instances(InstanceIds=['i-1'])"
    assert rank(f"{made}with Stubber(c) as s:\n    c.{call}") < ASKS
    assert rank(f"{made}with Stubber(c) as s:\n    d.{call}") >= ASKS
    assert rank(f"{made}with Stubber(c) as s:\n    pass\nc.{call}") >= ASKS
