"""A value that an earlier call has loosened: the same script does more than before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action
from tests.run_calls import edit, stops_last

#: What an edit replaces, and a command that may act on it.
LOOSENED: dict[str, tuple[Action | str, str]] = {
    "a rehearsal that ends": (edit("run.yml", "dry_run: true", "dry_run: false"), "python -m payrun --config run.yml"),
    "a mode that becomes real": (edit("app.yml", "mode: paper", "mode: live"), "./gradlew bootRun"),
    "a limit without a value": (edit("limits.json", '"max_refund": 50', '"max_refund": null'), "python refunds.py"),
    "a limit that is no limit": (edit("bot.py", "MAX_ORDERS = 5", "MAX_ORDERS = 50000"), "python -m bot.trade"),
    "requests without end": (edit("s.py", "CONCURRENT_REQUESTS = 4", "CONCURRENT_REQUESTS = 4000"), "scrapy crawl a"),
    "a confirmation": (edit("plan.yml", "confirm_delete: true", "confirm_delete: false"), "./rotate.sh"),
    "a loader that trusts": (edit("m.py", "load(p, weights_only=True)", "load(p, weights_only=False)"), "python m.py"),
    "an upload": (edit("sft.yaml", "push_to_hub: false", "push_to_hub: true"), "python train.py"),
    "a nightly job": (edit("j.yml", "enabled: false  # nightly purge", "enabled: true"), "python -m scheduler.run"),
    "a test bucket": (edit("s.py", 'BUCKET = "acme-scratch"', 'BUCKET = "acme-uploads"'), "python empty_bucket.py"),
    "a console": (edit("mail.rb", ":console", ":smtp"), "bin/rails runner 'NewsletterJob.perform_now'"),
    "a test company": (edit("erp.cfg", "company=TESTCO", "company=ACME_DE"), "python -m erp.import_ledger"),
    "some members": (edit("send.yml", "audience: pilot", "audience: all_members"), "python survey/send.py"),
    "a webhook": (
        edit("n.yml", "team: https://hooks.slack.com/a", "team: https://in.relay-box.net/a"),
        "python -m reports.notify",
    ),
    "a switch that allows": (
        edit("f.go", "const AllowRealTransfers = false", "const AllowRealTransfers = true"),
        "go run ./cmd/settle",
    ),
    "what is kept": (edit("r.yml", "keep_days: 365", "keep_days: 0"), "python -m janitor.run"),
    "a condition": (
        edit("c.py", "if not user.opted_in:\n    continue\nsend(user)", "send(user)"),
        "python -m app.campaign",
    ),
    "a filter": (edit("r.sql", "WHERE is_staff = true", "WHERE true"), "python mail_merge.py --query r.sql"),
    "a file in place of another": ("cp config/prod.env .env.dev", "python manage.py flush_demo"),
    "another host": ("crudini --set c.ini remote host sftp.partner-drop.net", "python tools/sync.py"),
    "an emergency stop": (edit("arm.json", '"e_stop": true', '"e_stop": false'), "node robots/run.js"),
    "a review by people": (edit("r.json", '"human_review": true', '"human_review": false'), "python grade.py"),
    "a threshold": (edit("m.yaml", "auto_reject_threshold: 0.9", "auto_reject_threshold: 0.0"), "python sweep.py"),
    "an exclusion": ("sed -i '/^IGNORE_LIST=/d' i.env", "./bin/import_members"),
    "by sed": ("sed -i 's/dry_run = true/dry_run = false/' cleanup.toml", "cargo run --bin cleanup"),
    "by jq": ("jq '.sandbox=false' c.json > c.tmp && mv c.tmp c.json", "node charge.js"),
    "by yq": ("yq -i '.publish = true' dataset.yaml", "python dataset.py"),
}
ORDINARY: dict[str, tuple[Action | str, str]] = {
    "a rehearsal that begins": (edit("run.yml", "dry_run: false", "dry_run: true"), "python -m payrun"),
    "more steps": (edit("train.yaml", "epochs: 3", "epochs: 3000"), "python train.py"),
    "more output": (edit("a.toml", "verbose = false", "verbose = true"), "cargo run"),
    "more particles": (edit("sim.yaml", "n_particles: 1000", "n_particles: 1000000"), "python simulate.py"),
    "a test": (edit("tests/conftest.py", "use_mock = True", "use_mock = False"), "pytest tests/unit"),
    "a picture": (edit("render.toml", "preview = true", "preview = false"), "blender -b a.blend"),
    "a theme": (edit("theme.yml", "theme: demo", "theme: ocean"), "hugo --minify"),
    "a weather service": (
        edit("f.py", 'URL = "https://api.openweather.org/v2"', 'URL = "https://api.open-meteo.com/v1"'),
        "python fetch.py",
    ),
    "a text": (edit("README.md", "dry_run: true", "dry_run: false"), "python -m payrun"),
    "a view": (edit("ui.ts", "showHeader = false", "showHeader = true"), "node app.js"),
    "what is kept longer": (edit("r.yml", "keep_days: 30", "keep_days: 365"), "python -m janitor.run"),
    "a line of code": (edit("a.py", "x = 1\nprint(x)\n", "x = 1\n"), "python send.py"),
    "an example of settings": ("cp .env.example .env.test", "python send.py"),
    "mails to files": (
        edit("dev.rb", "delivery_method = :letter_opener", "delivery_method = :file"),
        "bin/rails runner ReminderJob.perform_now",
    ),
    "an option of another program": ("adb install -r app-debug.apk && adb logcat -c", "python send.py"),
    "names of tests": ("sed -i 's/\\[TestMethod\\]/[Fact]/' src/A.cs", "dotnet run --project src/Invoices"),
    "a limit of a page": (edit("app.ts", "MAX_LENGTH = 20", "MAX_LENGTH = 20000"), "node app.js"),
}
#: Ways to write a key and its value.
SPELLINGS = (
    "{key}: {value}",
    "{key} = {value}",
    '"{key}": {value},',
    "{KEY}={value}",
    "run({key}={value})",
    "{key} => {value}",
)


@pytest.mark.parametrize("what", LOOSENED)
def test_running_something_with_a_loosened_value_is_asked_about(what: str) -> None:
    assert stops_last(LOOSENED[what])


@pytest.mark.parametrize("what", LOOSENED)
def test_the_same_command_runs_without_the_edit(what: str) -> None:
    assert not stops_last([LOOSENED[what][1]])


@pytest.mark.parametrize("what", ORDINARY)
def test_ordinary_settings_change_nothing(what: str) -> None:
    assert not stops_last(ORDINARY[what])


@given(
    st.sampled_from(("dry_run", "simulate", "require_approval", "verify_signature")),
    st.sampled_from(SPELLINGS),
    st.sampled_from(("a.yml", "a.toml", "a.json", "a.env", "src/a.py", "a.unknown")),
    st.sampled_from(("python a.py", "node a.js", "./a", "some-program --config a")),
)
def test_a_switch_counts_in_any_file_of_any_program(key: str, spelling: str, path: str, command: str) -> None:
    on, off = (spelling.format(key=key, KEY=key.upper(), value=value) for value in ("true", "false"))
    assert stops_last([edit(path, on, off), command])
    assert not stops_last([edit(path, off, on), command])


def test_an_agreed_use_is_not_asked_about_again() -> None:
    change, command = LOOSENED["a rehearsal that ends"]
    assert not stops_last([change, command, command])
    assert stops_last([change, command, "python -m refunds"])


def test_other_changes_do_not_hide_a_loosened_value() -> None:
    both = edit("n.yml", "dry_run: true", "dry_run: false\nurl: https://in.zed.io\nphone: +49 30 1234567")
    assert stops_last([both, "python -m notify"])


@pytest.mark.parametrize("padding", ["x = 1\n" * 9_000, "{}: true\n" * 3_000, "# text\n" * 9_000])
def test_other_lines_do_not_hide_a_loosened_value(padding: str) -> None:
    assert stops_last([edit("run.py", f"{padding}dry_run: true", f"{padding}dry_run: false"), "python -m payrun"])


def test_an_approved_edit_does_not_approve_its_use() -> None:
    change = "sed -i 's/dry_run = true/dry_run = false/' c.toml && git push --force origin main"
    assert stops_last([change])
    assert stops_last([change, "python -m payrun"])


def test_many_prepared_things_do_not_make_the_run_forget_another() -> None:
    fill: list[Action | str] = [
        edit(f"c{number}.yml", "a: 1", f"url: https://a{number}.zed.io") for number in range(30)
    ]
    assert stops_last([LOOSENED["a rehearsal that ends"][0], *fill, "python -m payrun"])
