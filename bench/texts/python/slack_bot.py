import logging
import os
import re
import shlex
import sqlite3
from datetime import datetime, timedelta

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler

app = App(token=os.environ["SLACK_BOT_TOKEN"])
log = logging.getLogger("bot")
COMMANDS = {}


def command(name, usage=""):
    def register(function):
        COMMANDS[name] = (function, usage)
        return function

    return register


def database():
    connection = sqlite3.connect("bot.db")
    connection.execute("CREATE TABLE IF NOT EXISTS reminders (id INTEGER PRIMARY KEY, who TEXT, what TEXT, due TEXT)")
    return connection


def parse_delay(text):
    found = re.fullmatch(r"(\d+)([mhd])", text)
    if not found:
        raise ValueError(f"not a delay: {text}")
    number, unit = int(found[1]), found[2]
    return {"m": timedelta(minutes=number), "h": timedelta(hours=number), "d": timedelta(days=number)}[unit]


@command("remind", "remind 30m take a break")
def remind(user, arguments):
    due = datetime.now() + parse_delay(arguments[0])
    with database() as connection:
        connection.execute(
            "INSERT INTO reminders (who, what, due) VALUES (?, ?, ?)", (user, " ".join(arguments[1:]), due.isoformat())
        )
    return f"I will remind you at {due:%H:%M}."


@command("list")
def listing(user, arguments):
    with database() as connection:
        rows = connection.execute("SELECT id, what, due FROM reminders WHERE who = ? ORDER BY due", (user,)).fetchall()
    return "\n".join(f"{number}. {what} ({due})" for number, what, due in rows) or "Nothing."


@command("forget", "forget 3")
def forget(user, arguments):
    with database() as connection:
        cursor = connection.execute("DELETE FROM reminders WHERE id = ? AND who = ?", (int(arguments[0]), user))
    return "Done." if cursor.rowcount else "I do not know that one."


@command("help")
def show_help(user, arguments):
    return "\n".join(usage or name for name, (_, usage) in sorted(COMMANDS.items()))


def run(user, text):
    words = shlex.split(text)
    if not words or words[0] not in COMMANDS:
        return show_help(user, [])
    function, usage = COMMANDS[words[0]]
    try:
        return function(user, words[1:])
    except (IndexError, ValueError) as error:
        log.info("%s: %s", text, error)
        return f"Usage: {usage}"


@app.event("app_mention")
def mentioned(event, say):
    text = re.sub(r"<@\w+>", "", event["text"]).strip()
    say(text=run(event["user"], text), thread_ts=event.get("thread_ts", event["ts"]))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    SocketModeHandler(app, os.environ["SLACK_APP_TOKEN"]).start()
