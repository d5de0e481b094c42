import os
import sqlite3
from datetime import datetime, timezone
from functools import wraps

from flask import Flask, abort, g, jsonify, request, session
from werkzeug.security import check_password_hash, generate_password_hash

app = Flask(__name__)
app.config["DATABASE"] = os.environ.get("TODO_DB", "todo.sqlite3")
app.secret_key = os.environ.get("TODO_SECRET", "dev")

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY,
    name TEXT UNIQUE NOT NULL,
    password TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS todos (
    id INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users(id),
    title TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0,
    created TEXT NOT NULL
);
"""


def get_db():
    if "db" not in g:
        g.db = sqlite3.connect(app.config["DATABASE"])
        g.db.row_factory = sqlite3.Row
    return g.db


@app.teardown_appcontext
def close_db(error=None):
    db = g.pop("db", None)
    if db is not None:
        db.close()


def init_db():
    get_db().executescript(SCHEMA)
    get_db().commit()


def query(sql, *args, one=False):
    rows = get_db().execute(sql, args).fetchall()
    if one:
        return rows[0] if rows else None
    return rows


def change(sql, *args):
    cursor = get_db().execute(sql, args)
    get_db().commit()
    return cursor


def now():
    return datetime.now(timezone.utc).isoformat()


def login_required(view):
    @wraps(view)
    def wrapped(*args, **kwargs):
        if "user_id" not in session:
            abort(401)
        return view(*args, **kwargs)

    return wrapped


def current_user():
    return query("SELECT * FROM users WHERE id = ?", session["user_id"], one=True)


def to_json(row):
    return {"id": row["id"], "title": row["title"], "done": bool(row["done"]), "created": row["created"]}


def get_todo(todo_id):
    row = query("SELECT * FROM todos WHERE id = ? AND user_id = ?", todo_id, session["user_id"], one=True)
    if row is None:
        abort(404)
    return row


@app.post("/register")
def register():
    data = request.get_json(force=True)
    if query("SELECT 1 FROM users WHERE name = ?", data["name"], one=True):
        return jsonify(error="name is taken"), 409
    change(
        "INSERT INTO users (name, password) VALUES (?, ?)",
        data["name"],
        generate_password_hash(data["password"]),
    )
    return jsonify(ok=True), 201


@app.post("/login")
def login():
    data = request.get_json(force=True)
    user = query("SELECT * FROM users WHERE name = ?", data["name"], one=True)
    if user is None or not check_password_hash(user["password"], data["password"]):
        abort(403)
    session["user_id"] = user["id"]
    return jsonify(ok=True)


@app.get("/todos")
@login_required
def list_todos():
    rows = query("SELECT * FROM todos WHERE user_id = ? ORDER BY created", session["user_id"])
    return jsonify([to_json(row) for row in rows])


@app.post("/todos")
@login_required
def add_todo():
    title = (request.get_json(force=True).get("title") or "").strip()
    if not title:
        abort(400)
    cursor = change(
        "INSERT INTO todos (user_id, title, created) VALUES (?, ?, ?)", session["user_id"], title, now()
    )
    return jsonify(to_json(get_todo(cursor.lastrowid))), 201


@app.patch("/todos/<int:todo_id>")
@login_required
def update_todo(todo_id):
    todo = get_todo(todo_id)
    data = request.get_json(force=True)
    change(
        "UPDATE todos SET title = ?, done = ? WHERE id = ?",
        data.get("title", todo["title"]),
        int(data.get("done", todo["done"])),
        todo_id,
    )
    return jsonify(to_json(get_todo(todo_id)))


@app.delete("/todos/<int:todo_id>")
@login_required
def delete_todo(todo_id):
    get_todo(todo_id)
    change("DELETE FROM todos WHERE id = ?", todo_id)
    return "", 204


if __name__ == "__main__":
    with app.app_context():
        init_db()
    app.run(debug=True, port=5001)
