import argparse
import datetime
import os
import pathlib
import sqlite3
import subprocess
import tempfile

DB = pathlib.Path(os.environ.get("NOTES_DB", "~/.local/share/notes.db")).expanduser()


def connect():
    DB.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(DB)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript(
        """
        CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, title TEXT, body TEXT, created TEXT, updated TEXT);
        CREATE TABLE IF NOT EXISTS tags (note_id INTEGER REFERENCES notes(id) ON DELETE CASCADE, tag TEXT);
        CREATE INDEX IF NOT EXISTS tags_tag ON tags (tag);
        """
    )
    return connection


def now():
    return datetime.datetime.now().isoformat(timespec="seconds")


def edit(text=""):
    with tempfile.NamedTemporaryFile("w+", suffix=".md", delete=False) as handle:
        handle.write(text)
        name = handle.name
    try:
        subprocess.call([os.environ.get("EDITOR", "vi"), name])
        return pathlib.Path(name).read_text()
    finally:
        os.unlink(name)


def save_tags(connection, note_id, tags):
    connection.execute("DELETE FROM tags WHERE note_id = ?", (note_id,))
    connection.executemany("INSERT INTO tags VALUES (?, ?)", [(note_id, tag) for tag in tags])


def tags_of(connection, note_id):
    rows = connection.execute("SELECT tag FROM tags WHERE note_id = ? ORDER BY tag", (note_id,))
    return [row["tag"] for row in rows]


def show(connection, row, full=False):
    tags = " ".join(f"#{tag}" for tag in tags_of(connection, row["id"]))
    print(f"{row['id']:4d}  {row['updated'][:16]}  {row['title']}  {tags}")
    if full:
        print()
        print(row["body"])


def cmd_add(connection, args):
    body = " ".join(args.text) or edit()
    title = body.strip().splitlines()[0][:60] if body.strip() else "(empty)"
    cursor = connection.execute(
        "INSERT INTO notes (title, body, created, updated) VALUES (?, ?, ?, ?)", (title, body, now(), now())
    )
    save_tags(connection, cursor.lastrowid, args.tag)
    print(f"added {cursor.lastrowid}")


def cmd_list(connection, args):
    sql = "SELECT * FROM notes"
    values = []
    if args.tag:
        marks = ",".join("?" * len(args.tag))
        sql += f" WHERE id IN (SELECT note_id FROM tags WHERE tag IN ({marks}))"
        values += args.tag
    for row in connection.execute(sql + " ORDER BY updated DESC LIMIT ?", (*values, args.limit)):
        show(connection, row)


def cmd_show(connection, args):
    row = connection.execute("SELECT * FROM notes WHERE id = ?", (args.id,)).fetchone()
    if row is None:
        raise SystemExit(f"no note {args.id}")
    show(connection, row, full=True)


def cmd_edit(connection, args):
    row = connection.execute("SELECT * FROM notes WHERE id = ?", (args.id,)).fetchone()
    body = edit(row["body"])
    connection.execute("UPDATE notes SET body = ?, updated = ? WHERE id = ?", (body, now(), args.id))


def cmd_delete(connection, args):
    connection.execute("DELETE FROM notes WHERE id = ?", (args.id,))


def parse_args():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add")
    add.add_argument("text", nargs="*")
    add.add_argument("-t", "--tag", action="append", default=[])
    listing = commands.add_parser("list")
    listing.add_argument("-t", "--tag", action="append", default=[])
    listing.add_argument("-n", "--limit", type=int, default=20)
    for name in ("show", "edit", "delete"):
        commands.add_parser(name).add_argument("id", type=int)
    return parser.parse_args()


COMMANDS = {"add": cmd_add, "list": cmd_list, "show": cmd_show, "edit": cmd_edit, "delete": cmd_delete}

if __name__ == "__main__":
    arguments = parse_args()
    with connect() as db:
        COMMANDS[arguments.command](db, arguments)
