import base64
import datetime
import json

import pytest
from fastapi.testclient import TestClient

from app.database import Base, make_engine, session_for
from app.main import create_app
from app.models import Project, User


@pytest.fixture
def engine(tmp_path):
    engine = make_engine(f"sqlite:///{tmp_path}/test.db")
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def session(engine):
    with session_for(engine) as session:
        yield session


@pytest.fixture
def client(engine):
    return TestClient(create_app(engine))


def add_user(session, name="ada", password="correct horse", **extra):
    user = User(name=name, **extra)
    user.set_password(password)
    session.add(user)
    session.commit()
    return user


def add_project(session, owner, name="Apollo", days=0):
    created = datetime.datetime(2024, 1, 1) + datetime.timedelta(days=days)
    project = Project(name=name, owner=owner, created=created)
    session.add(project)
    session.commit()
    return project


def basic(name, password):
    token = base64.b64encode(f"{name}:{password}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


def log_in(client, name="ada", password="correct horse"):
    response = client.post("/login", headers=basic(name, password))
    assert response.status_code == 200, response.text
    return {"Authorization": f"Bearer {response.json()['token']}"}


def test_login(client, session):
    add_user(session)
    assert log_in(client)["Authorization"].startswith("Bearer ")


@pytest.mark.parametrize("password", ["", "wrong", "correct horse "])
def test_wrong_password(client, session, password):
    add_user(session)
    assert client.post("/login", headers=basic("ada", password)).status_code == 401


def test_projects_need_a_login(client):
    assert client.get("/projects").status_code == 401


def test_own_projects_only(client, session):
    ada, bob = add_user(session), add_user(session, "bob")
    add_project(session, ada, "Apollo")
    add_project(session, bob, "Gemini")
    found = client.get("/projects", headers=log_in(client)).json()
    assert [project["name"] for project in found] == ["Apollo"]


def test_projects_are_sorted(client, session):
    ada = add_user(session)
    for days, name in enumerate(["C", "A", "B"]):
        add_project(session, ada, name, days)
    found = client.get("/projects?sort=created", headers=log_in(client)).json()
    assert [project["name"] for project in found] == ["C", "A", "B"]


def test_create_project(client, session):
    add_user(session)
    response = client.post("/projects", json={"name": "Mercury"}, headers=log_in(client))
    assert response.status_code == 201
    assert response.json()["owner"] == "ada"


def test_delete_project(client, session):
    project = add_project(session, add_user(session))
    headers = log_in(client)
    assert client.delete(f"/projects/{project.id}", headers=headers).status_code == 204
    assert client.get(f"/projects/{project.id}", headers=headers).status_code == 404


def test_cannot_delete_others(client, session):
    add_user(session)
    project = add_project(session, add_user(session, "bob"))
    assert client.delete(f"/projects/{project.id}", headers=log_in(client)).status_code == 403


def test_export(client, session, tmp_path):
    ada = add_user(session)
    add_project(session, ada)
    response = client.get("/export", headers=log_in(client))
    path = tmp_path / "export.json"
    path.write_bytes(response.content)
    assert json.loads(path.read_text())["projects"][0]["name"] == "Apollo"
