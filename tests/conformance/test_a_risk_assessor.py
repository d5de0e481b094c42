"""What `RiskAssessor` and the approval policies promise."""

import inspect
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

import interlock
from interlock import (
    RULES,
    Action,
    ApprovalPolicy,
    Engine,
    InterlockError,
    Level,
    RiskAssessment,
    RiskAssessor,
    RiskRule,
    ToolRiskLevel,
    Verdict,
)

WHERE: dict[str, Any] = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}

SAFE, LOW, MEDIUM, HIGH, CRITICAL = Level.SAFE, Level.LOW, Level.MEDIUM, Level.HIGH, Level.CRITICAL
ALLOW, APPROVE, BLOCK = Verdict.ALLOW, Verdict.REQUIRE_APPROVAL, Verdict.BLOCK

NOTHING = ["No risk patterns detected"]
REVIEW = "Review carefully before approving"


def assess(code: str) -> RiskAssessment:
    """Assess a code by the default rules."""
    return RiskAssessor().assess({"action": "code", "code": code})


# Names and shapes


@pytest.mark.parametrize(
    "name", ["RiskAssessor", "RiskRule", "ToolRiskLevel", "RiskAssessment", "ApprovalPolicy", "Level"]
)
def test_name_is_importable_from_the_package(name: str) -> None:
    assert name in interlock.__all__
    assert hasattr(interlock, name)


def test_tool_risk_level_is_an_alias_of_level() -> None:
    assert ToolRiskLevel is Level


@pytest.mark.parametrize(
    ("name", "value"),
    [("SAFE", "safe"), ("LOW", "low"), ("MEDIUM", "medium"), ("HIGH", "high"), ("CRITICAL", "critical")],
)
def test_level_has_its_printed_value(name: str, value: str) -> None:
    assert Level[name].value == value


def test_there_are_five_levels_in_ascending_order() -> None:
    assert list(ToolRiskLevel) == [SAFE, LOW, MEDIUM, HIGH, CRITICAL]
    assert sorted(ToolRiskLevel) == list(ToolRiskLevel)


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (RiskAssessor, [("rules", None), ("custom_assessor", None)]),
        (
            RiskRule,
            [
                ("name", inspect.Parameter.empty),
                ("pattern", inspect.Parameter.empty),
                ("risk_level", inspect.Parameter.empty),
                ("reason", inspect.Parameter.empty),
                ("reversible", True),
            ],
        ),
    ],
)
def test_constructor_takes_the_printed_parameters(
    function: Callable[..., Any], parameters: list[tuple[str, Any]]
) -> None:
    found = inspect.signature(function).parameters.values()
    assert [(parameter.name, parameter.default) for parameter in found] == parameters


def test_assessment_fields_have_the_printed_defaults() -> None:
    found = RiskAssessment(level=LOW)
    assert found.reasons == []
    assert found.affected_resources == []
    assert found.reversible is True
    assert found.estimated_impact == ""
    assert found.recommendations == []


def test_assessment_fields_come_in_the_printed_order() -> None:
    found = RiskAssessment(HIGH, ["why"], ["file:x"], False, "impact", ["advice"])
    assert (found.level, found.reasons, found.affected_resources) == (HIGH, ["why"], ["file:x"])
    assert (found.reversible, found.estimated_impact, found.recommendations) == (False, "impact", ["advice"])


@pytest.mark.parametrize(
    ("level", "required"), [(SAFE, False), (LOW, False), (MEDIUM, False), (HIGH, True), (CRITICAL, True)]
)
def test_requires_approval_from_high_on(level: Level, required: bool) -> None:
    assert RiskAssessment(level=level).requires_approval is required


def test_add_rule_returns_nothing_and_shows_in_rules() -> None:
    assessor = RiskAssessor()
    rule = RiskRule("mine", "mine", HIGH, "mine")
    result: object = assessor.add_rule(rule)  # type: ignore[func-returns-value]
    assert result is None
    assert rule in assessor.rules


# The table of levels

TYPICAL_ACTIONS = [
    ("print('hello')", SAFE),
    ("echo hello", SAFE),
    ("open('notes.txt').read()", LOW),
    ("with open('/tmp/output.txt', 'w') as f: f.write('data')", MEDIUM),
    ("import subprocess\nsubprocess.run(['ls'])", MEDIUM),
    ("pip install requests", MEDIUM),
    ("git commit -m 'fix'", MEDIUM),
    ("import os\nos.remove('notes.txt')", HIGH),
    ("sudo ls", HIGH),
    ("import requests\nrequests.post('https://api.example.com/data', json={})", HIGH),
    ("import requests\nrequests.put('https://api.example.com/data', json={})", HIGH),
    ("import requests\nrequests.delete('https://api.example.com/data')", HIGH),
    ("git push --force origin main", HIGH),
    ("rm -rf data", CRITICAL),
    ("DROP DATABASE shop", CRITICAL),
    ("mkfs.ext4 /dev/sda1", CRITICAL),
]


@pytest.mark.parametrize(("code", "level"), TYPICAL_ACTIONS)
def test_typical_action_has_the_level_of_its_row(code: str, level: Level) -> None:
    assert assess(code).level is level


@pytest.mark.parametrize("code", ["type(x)", "len(rows)", "vars(config)", "rows[:3]"])
def test_inspecting_a_variable_is_low_at_most(code: str) -> None:
    assert assess(code).level <= LOW


# Default rules

RM = "Recursive file deletion can cause irreversible data loss"
DROP = "Database deletion is typically irreversible"
FORMAT = "Disk formatting destroys all data"
DELETE = "File deletion may cause data loss"
FORCE = "Force push can overwrite remote history"
RESET = "Hard reset discards uncommitted changes"
SUDO = "Elevated privileges can affect system stability"
NETWORK = "Modifying external resources via network"
WRITE = "File modification may overwrite existing content"
EXEC = "Executing system commands"
COMMIT = "Creating git commits"
INSTALL = "Installing packages may affect environment"
READ = "Reading files"
PRINT = "Output display only"

NAMED_RULES = [
    ("rm_recursive", CRITICAL, RM, False),
    ("drop_database", CRITICAL, DROP, False),
    ("format_disk", CRITICAL, FORMAT, False),
    ("file_delete", HIGH, DELETE, False),
    ("git_force_push", HIGH, FORCE, False),
    ("git_reset_hard", HIGH, RESET, False),
    ("sudo_command", HIGH, SUDO, True),
    ("network_request", HIGH, NETWORK, False),
    ("file_write", MEDIUM, WRITE, True),
    ("subprocess_exec", MEDIUM, EXEC, True),
    ("git_commit", MEDIUM, COMMIT, True),
    ("pip_install", MEDIUM, INSTALL, True),
    ("file_read", LOW, READ, True),
    ("print_output", SAFE, PRINT, True),
]


@pytest.mark.parametrize(("name", "level", "reason", "reversible"), NAMED_RULES)
def test_named_rule_keeps_level_reason_and_reversibility(
    name: str, level: Level, reason: str, reversible: bool
) -> None:
    found = [rule for rule in RiskAssessor.DEFAULT_RULES if rule.name == name]
    assert [(rule.risk_level, rule.reason, rule.reversible) for rule in found] == [(level, reason, reversible)]


def test_every_shipped_rule_is_a_default_rule_once() -> None:
    names = [rule.name for rule in RiskAssessor.DEFAULT_RULES]
    assert names == [rule.name for rule in RULES]
    assert len(set(names)) == len(names)


def test_an_assessor_without_rules_of_its_own_has_the_defaults() -> None:
    assert [rule.name for rule in RiskAssessor().rules] == [rule.name for rule in RiskAssessor.DEFAULT_RULES]


TRIGGERS = [
    ("rm -rf data", RM, CRITICAL),
    ("rm -r data", RM, CRITICAL),
    ("rm -fr data", RM, CRITICAL),
    ("rm -R data", RM, CRITICAL),
    ("rm --recursive data", RM, CRITICAL),
    ("import subprocess; subprocess.run(['rm', '-rf', 'data'])", RM, CRITICAL),
    ("import os; os.system('rm -rf data')", RM, CRITICAL),
    ("import os; os.popen('rm -rf data')", RM, CRITICAL),
    ("sh -c 'rm -rf data'", RM, CRITICAL),
    ("X=rm; $X -rf data", RM, CRITICAL),
    ("DROP DATABASE shop", DROP, CRITICAL),
    ("DROP TABLE users", DROP, CRITICAL),
    ("DROP SCHEMA public", DROP, CRITICAL),
    ("drop table users", DROP, CRITICAL),
    ("mkfs /dev/sdb", FORMAT, CRITICAL),
    ("mkfs.ext4 /dev/sda1", FORMAT, CRITICAL),
    ("fdisk /dev/sda", FORMAT, CRITICAL),
    ("format C:", FORMAT, CRITICAL),
    ("import os; os.remove('a.txt')", DELETE, HIGH),
    ("import os; os.unlink('a.txt')", DELETE, HIGH),
    ("from pathlib import Path; Path('a.txt').unlink()", DELETE, HIGH),
    ("git push -f", FORCE, HIGH),
    ("git push -f origin main", FORCE, HIGH),
    ("git push --force origin main", FORCE, HIGH),
    ("git push origin main --force", FORCE, HIGH),
    ("git push origin +main", FORCE, HIGH),
    ("git reset --hard", RESET, HIGH),
    ("git reset --hard HEAD~1", RESET, HIGH),
    ("sudo apt update", SUDO, HIGH),
    ("import requests; requests.post('https://example.com/x')", NETWORK, HIGH),
    ("import requests; requests.put('https://example.com/x')", NETWORK, HIGH),
    ("import requests; requests.delete('https://example.com/x')", NETWORK, HIGH),
    ("import requests; requests.patch('https://example.com/x')", NETWORK, HIGH),
    ("import urllib.request; urllib.request.urlopen('https://example.com/x', data=b'y')", NETWORK, HIGH),
    ("import httpx; httpx.post('https://example.com/x')", NETWORK, HIGH),
    ("import httpx; httpx.put('https://example.com/x')", NETWORK, HIGH),
    ("import httpx; httpx.delete('https://example.com/x')", NETWORK, HIGH),
    ("import httpx; httpx.patch('https://example.com/x')", NETWORK, HIGH),
    ("curl -X POST https://example.com/x", NETWORK, HIGH),
    ("open('a.txt', 'w')", WRITE, MEDIUM),
    ("f = open('a.txt', 'w')\nf.write('x')", WRITE, MEDIUM),
    ("from pathlib import Path; Path('a.txt').write_text('x')", WRITE, MEDIUM),
    ("from pathlib import Path; Path('a.bin').write_bytes(b'x')", WRITE, MEDIUM),
    ("import subprocess; subprocess.run(['ls'])", EXEC, MEDIUM),
    ("import subprocess; subprocess.call(['ls'])", EXEC, MEDIUM),
    ("import subprocess; subprocess.Popen(['ls'])", EXEC, MEDIUM),
    ("import subprocess; subprocess.check_output(['ls'])", EXEC, MEDIUM),
    ("import os; os.system('ls')", EXEC, MEDIUM),
    ("git commit -m 'fix'", COMMIT, MEDIUM),
    ("pip install requests", INSTALL, MEDIUM),
    ("open('a.txt', 'r')", READ, LOW),
    ("open('a.txt').read()", READ, LOW),
    ("from pathlib import Path; Path('a.txt').read_text()", READ, LOW),
    ("from pathlib import Path; Path('a.bin').read_bytes()", READ, LOW),
    ("print('hello')", PRINT, SAFE),
]


@pytest.mark.parametrize(("code", "reason", "level"), TRIGGERS)
def test_named_rule_triggers_on_its_effect(code: str, reason: str, level: Level) -> None:
    found = assess(code)
    assert reason in found.reasons
    assert found.level is level


def test_removing_a_tree_triggers_file_delete() -> None:
    found = assess("import shutil; shutil.rmtree('data')")
    assert DELETE in found.reasons
    assert found.level >= HIGH
    assert found.reversible is False


def test_find_delete_is_a_finding() -> None:
    found = assess("find . -name '*.log' -delete")
    assert found.level >= HIGH
    assert found.reversible is False


def test_popen_of_a_delete_is_a_finding() -> None:
    found = assess("import os\nos.popen('rm notes.txt')")
    assert found.level >= HIGH
    assert DELETE in found.reasons


def test_deleting_every_row_is_worse_than_deleting_some() -> None:
    every, some = assess("DELETE FROM t"), assess("DELETE FROM t WHERE id = 1")
    assert every.reasons != NOTHING
    assert every.level > some.level


NO_FINDING = [
    "'{}'.format(x)",
    "text = 'some information'",
    "information = 1",
    "# rm -rf /",
    "x = 1  # sudo rm -rf / && DROP TABLE users",
    "note = 'rm -rf /'",
    "note = 'please run sudo os.remove(x) and git push --force'",
    "query = 'DROP TABLE users'",
    '"""DROP DATABASE shop; mkfs.ext4 /dev/sda1"""',
    '"""Never run rm -rf / here."""\nimport json\n\nlimit = 3\n',
    'def f():\n    """DROP TABLE users; rm -rf /"""\n',
]


@pytest.mark.parametrize("code", NO_FINDING)
def test_text_that_does_nothing_is_no_finding(code: str) -> None:
    found = assess(code)
    assert found.level is SAFE
    assert found.reasons == NOTHING


LOOKALIKES = [
    ("git push origin my-feature", FORCE),
    ("confirm -r y", RM),
    ("confirm -r y", DELETE),
    ("open('weights.bin','rb')", WRITE),
    ("import urllib.parse\nurllib.parse.quote(x)", NETWORK),
    ('git commit -m "drop table users"', DROP),
    ("git commit -m 'stop using rm -rf data'", RM),
    ("echo 'sudo rm -rf /'", SUDO),
    ("echo 'sudo rm -rf /'", RM),
    ("ls # rm -rf data", RM),
    ("grep -rn 'mkfs' docs", FORMAT),
    ("echo information", FORMAT),
]


@pytest.mark.parametrize(("code", "reason"), LOOKALIKES)
def test_lookalike_does_not_trigger_the_rule(code: str, reason: str) -> None:
    assert reason not in assess(code).reasons


def test_opening_a_binary_file_for_reading_is_reading() -> None:
    found = assess("open('weights.bin','rb')")
    assert found.level is LOW
    assert found.reasons == [READ]


def test_quoting_an_url_is_safe() -> None:
    assert assess("import urllib.parse\nurllib.parse.quote(x)").level is SAFE


# How rules combine


def test_highest_level_wins_and_every_reason_is_kept() -> None:
    found = assess("print('x')\nopen('a.txt').read()\nopen('b.txt', 'w')")
    assert found.level is MEDIUM
    assert {PRINT, READ, WRITE} <= set(found.reasons)
    assert found.reversible is True


def test_one_irreversible_rule_makes_the_whole_irreversible() -> None:
    assert assess("print('x')\nimport os\nos.remove('a.txt')").reversible is False


IMPACTS = [
    ("rm -rf data", CRITICAL, "Potentially severe and irreversible impact"),
    ("import os; os.remove('a.txt')", HIGH, "Significant impact, may require manual intervention to undo"),
    ("pip install requests", MEDIUM, "Moderate impact, generally reversible"),
    ("open('a.txt').read()", LOW, "Minor impact, easily reversible"),
    ("print('hello')", SAFE, "No significant impact expected"),
]


@pytest.mark.parametrize(("code", "level", "impact"), IMPACTS)
def test_impact_text_follows_the_level(code: str, level: Level, impact: str) -> None:
    found = assess(code)
    assert found.level is level
    assert found.estimated_impact == impact


@pytest.mark.parametrize("code", ["rm -rf data", "import os; os.remove('a.txt')"])
def test_high_and_critical_come_with_recommendations(code: str) -> None:
    assert REVIEW in assess(code).recommendations


@pytest.mark.parametrize("code", ["pip install requests", "open('a.txt').read()", "print('hello')", "x = 1"])
def test_below_high_nothing_is_recommended(code: str) -> None:
    assert assess(code).recommendations == []


@pytest.mark.parametrize("code", ["x = 1 + 1", "", "   ", "def f(a):\n    return a * 2"])
def test_nothing_triggered_is_safe_with_the_printed_texts(code: str) -> None:
    found = assess(code)
    assert found.level is SAFE
    assert found.reasons == NOTHING
    assert found.reversible is True
    assert found.estimated_impact == "No significant impact expected"
    assert found.affected_resources == []


# Resources

RESOURCES = [
    ("open('/tmp/data.csv').read()", ["file:/tmp/data.csv"]),
    ("from pathlib import Path\nPath('/tmp/data.csv').read_text()", ["file:/tmp/data.csv"]),
    ("import requests\nrequests.post('https://api.example.com/data')", ["url:https://api.example.com/data"]),
    ("curl -X POST http://api.example.com/data", ["url:http://api.example.com/data"]),
    ("DELETE FROM users WHERE id = 1", ["table:users"]),
    ("print(1)\ncursor.execute('SELECT * FROM users')", ["table:users"]),
    ("INSERT INTO archive SELECT * FROM users", ["table:archive", "table:users"]),
    ("INSERT INTO users VALUES (1)", ["table:users"]),
    ("UPDATE users SET a = 1 WHERE id = 2", ["table:users"]),
    ("DROP TABLE users", ["table:users"]),
    ("open('data/in.csv').read()", ["file:data/in.csv"]),
    ("rm -rf build/out", ["file:build/out"]),
    ("cat notes.txt", ["file:notes.txt"]),
    ("cat /etc/hosts", ["file:/etc/hosts"]),
    ("rm b.txt a.txt", ["file:b.txt", "file:a.txt"]),
    ("rm b.txt; rm a.txt; rm b.txt", ["file:b.txt", "file:a.txt"]),
    (
        "open('/tmp/a').read()\nimport requests\nrequests.post('https://example.com/x')\nopen('/tmp/b').read()",
        ["file:/tmp/a", "url:https://example.com/x", "file:/tmp/b"],
    ),
    ("curl -X POST 'https://example.com/a?b=1,2&c=d;e#f'", ["url:https://example.com/a?b=1,2&c=d;e#f"]),
    (
        "import requests\nrequests.post('https://example.com/wiki/Rust_(language)')",
        ["url:https://example.com/wiki/Rust_(language)"],
    ),
    (
        f"import requests\nrequests.post('https://example.com/{'x' * 500}')",
        [f"url:https://example.com/{'x' * 500}"],
    ),
]


@pytest.mark.parametrize(("code", "resources"), RESOURCES)
def test_resources_are_listed_once_with_their_type_in_order_of_appearance(code: str, resources: list[str]) -> None:
    assert assess(code).affected_resources == resources


def test_ten_resources_at_most_the_first_ones() -> None:
    code = "rm " + " ".join(f"file{number}.txt" for number in range(15))
    assert assess(code).affected_resources == [f"file:file{number}.txt" for number in range(10)]


@pytest.mark.parametrize("code", ["from os import path\nprint(1)", "from os import remove\nremove('a.txt')"])
def test_an_import_is_no_table(code: str) -> None:
    assert not [name for name in assess(code).affected_resources if name.startswith("table:")]


# The page's examples


def test_example_of_a_safe_action() -> None:
    assert assess("print('hello')").level == ToolRiskLevel.SAFE


def test_example_of_a_file_write() -> None:
    found = assess("with open('/tmp/output.txt', 'w') as f: f.write('data')")
    assert found.level == ToolRiskLevel.MEDIUM
    assert WRITE in found.reasons
    assert found.reversible is True


def test_example_of_a_recursive_delete_in_a_list_of_arguments() -> None:
    found = assess("import subprocess; subprocess.run(['rm', '-rf', '/home/user/data'])")
    assert found.level == ToolRiskLevel.CRITICAL
    assert found.reversible is False
    assert "file:/home/user/data" in found.affected_resources


def test_example_of_several_rules_lists_both_reasons() -> None:
    found = assess("\nimport subprocess\nimport os\nsubprocess.run(['make', 'clean'])\nos.remove('/tmp/build.log')\n")
    assert found.level == ToolRiskLevel.HIGH
    assert found.reasons == [DELETE, EXEC]
    assert found.reversible is False


ADDED_RULES = [
    RiskRule(
        name="api_key_exposure",
        pattern=r"(API_KEY|SECRET_KEY|PRIVATE_KEY|ACCESS_TOKEN)\s*=",
        risk_level=HIGH,
        reason="Potential hardcoded API key or secret detected",
        reversible=True,
    ),
    RiskRule(
        name="db_insert",
        pattern=r"INSERT\s+INTO",
        risk_level=MEDIUM,
        reason="Database insertion detected",
        reversible=True,
    ),
    RiskRule(
        name="docker_run",
        pattern=r"docker\s+(run|exec|build)",
        risk_level=MEDIUM,
        reason="Docker container operation detected",
        reversible=True,
    ),
]


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("API_KEY = 'abc'", ADDED_RULES[0]),
        ("secret_key='abc'", ADDED_RULES[0]),
        ("PRIVATE_KEY = read()", ADDED_RULES[0]),
        ("access_token = 'abc'", ADDED_RULES[0]),
        ("INSERT INTO users VALUES (1)", ADDED_RULES[1]),
        ("q = 'insert  into users values (1)'", ADDED_RULES[1]),
        ("docker run alpine", ADDED_RULES[2]),
        ("docker exec web ls", ADDED_RULES[2]),
        ("docker build .", ADDED_RULES[2]),
    ],
)
def test_example_pattern_rule_triggers_once_added(code: str, rule: RiskRule) -> None:
    assessor = RiskAssessor()
    assessor.add_rule(rule)
    found = assessor.assess({"action": "code", "code": code})
    assert rule.reason in found.reasons
    assert found.level >= rule.risk_level
    assert rule.reason not in assess(code).reasons


def large_file(action: dict[str, Any]) -> bool:
    """Whether a code names a folder of large files."""
    code = action.get("code", "")
    return any(path in code for path in ["/data/warehouse/", "/backup/", "/var/log/"])


def many_calls(action: dict[str, Any]) -> bool:
    """Whether a code starts more than three programs."""
    return len(re.findall(r"subprocess\.(run|call|Popen)|os\.system", action.get("code", ""))) > 3


LARGE = RiskRule("large_file_operation", large_file, HIGH, "Operation on potentially large file/directory")
MANY = RiskRule(
    name="excessive_system_calls",
    pattern=many_calls,
    risk_level=HIGH,
    reason="Multiple system command executions detected (potential script injection)",
    reversible=True,
)


@pytest.mark.parametrize(
    ("code", "rule", "triggered"),
    [
        ("open('/data/warehouse/a.parquet').read()", LARGE, True),
        ("open('/backup/a.tar').read()", LARGE, True),
        ("open('/var/log/syslog').read()", LARGE, True),
        ("open('a.txt').read()", LARGE, False),
        ("import os\n" + "os.system('ls')\n" * 4, MANY, True),
        ("import os\n" + "os.system('ls')\n" * 3, MANY, False),
    ],
)
def test_example_callable_rule_decides_by_the_whole_dict(code: str, rule: RiskRule, triggered: bool) -> None:
    assessor = RiskAssessor()
    assessor.add_rule(rule)
    found = assessor.assess({"action": "code", "code": code})
    assert (rule.reason in found.reasons) is triggered
    assert (found.level is HIGH) is triggered


def test_example_of_removing_rules() -> None:
    assessor = RiskAssessor()
    assert assessor.remove_rule("print_output") is True
    assert assessor.remove_rule("print_output") is False
    assert assessor.remove_rule("nonexistent") is False
    assert assessor.assess({"action": "code", "code": "print('hello')"}).reasons == NOTHING


MINIMAL_RULES = [
    RiskRule(
        name="any_file_operation",
        pattern=r"(open|Path|os\.(remove|unlink)|shutil)",
        risk_level=MEDIUM,
        reason="File operation detected",
        reversible=True,
    ),
    RiskRule(
        name="any_network",
        pattern=r"(requests|urllib|httpx|socket)",
        risk_level=HIGH,
        reason="Network operation detected",
        reversible=False,
    ),
]


@pytest.mark.parametrize(
    ("code", "level", "reasons", "reversible"),
    [
        ("open('a.txt')", MEDIUM, ["File operation detected"], True),
        ("import shutil", MEDIUM, ["File operation detected"], True),
        ("import socket", HIGH, ["Network operation detected"], False),
        ("Path('x'); httpx.get(y)", HIGH, ["File operation detected", "Network operation detected"], False),
        ("rm -rf data", SAFE, NOTHING, True),
    ],
)
def test_example_of_replacing_every_rule(code: str, level: Level, reasons: list[str], reversible: bool) -> None:
    found = RiskAssessor(rules=MINIMAL_RULES).assess({"action": "code", "code": code})
    assert (found.level, found.reasons, found.reversible) == (level, reasons, reversible)


def financial(action: dict[str, Any]) -> RiskAssessment:
    """Assess by what a code does with money."""
    code = action.get("code", "").lower()
    if "transfer" in code or "withdraw" in code:
        return RiskAssessment(
            level=CRITICAL,
            reasons=["Financial transaction detected"],
            affected_resources=["financial_system"],
            reversible=False,
            estimated_impact="Direct financial impact",
            recommendations=["Verify transaction amount and recipient", "Check authorization level"],
        )
    if "balance" in code or "account" in code:
        return RiskAssessment(
            level=MEDIUM,
            reasons=["Account data access detected"],
            affected_resources=["account_database"],
            reversible=True,
            estimated_impact="Potential PII exposure",
            recommendations=["Ensure proper access logging"],
        )
    return RiskAssessment(level=SAFE, reasons=["No financial operations detected"], reversible=True)


@pytest.mark.parametrize(
    ("code", "level", "reason"),
    [
        ("transfer(100)", CRITICAL, "Financial transaction detected"),
        ("Withdraw(100)", CRITICAL, "Financial transaction detected"),
        ("show_balance()", MEDIUM, "Account data access detected"),
        ("account.name", MEDIUM, "Account data access detected"),
        ("rm -rf data", SAFE, "No financial operations detected"),
    ],
)
def test_example_of_a_custom_assessor_bypasses_every_rule(code: str, level: Level, reason: str) -> None:
    action = {"action": "code", "code": code}
    found = RiskAssessor(custom_assessor=financial).assess(action)
    assert found == financial(action)
    assert (found.level, found.reasons) == (level, [reason])


# Rules of the user's own


@pytest.mark.parametrize(
    "code", ["FORBIDDEN", "forbidden", "x = 'Forbidden'  # text counts for a pattern of one's own"]
)
def test_pattern_is_searched_in_the_code_whatever_the_case(code: str) -> None:
    found = RiskAssessor([RiskRule("r", "forbidden", HIGH, "why")]).assess({"code": code})
    assert (found.level, found.reasons) == (HIGH, ["why"])


def test_pattern_sees_nothing_but_the_code() -> None:
    found = RiskAssessor([RiskRule("r", "forbidden", HIGH, "why")]).assess({"code": "x = 1", "action": "forbidden"})
    assert found.level is SAFE


def test_pattern_that_explodes_elsewhere_runs_in_linear_time() -> None:
    assessor = RiskAssessor([RiskRule("r", r"(a+)+$", HIGH, "why")])
    start = time.thread_time()
    found = assessor.assess({"code": "a" * 5_000 + "!"})
    assert time.thread_time() - start < 2
    assert found.level is SAFE


@pytest.mark.parametrize(
    ("pattern", "code", "level"),
    [
        (r"(?<!un)safe_call", "safe_call()", HIGH),
        (r"(?<!un)safe_call", "unsafe_call()", SAFE),
        (r"(\w+)-\1", "again-again", HIGH),
        (r"(\w+)-\1", "x = 1", SAFE),
    ],
)
def test_pattern_beyond_the_linear_engine_still_works(pattern: str, code: str, level: Level) -> None:
    assert RiskAssessor([RiskRule("r", pattern, HIGH, "why")]).assess({"code": code}).level is level


def test_pattern_that_hits_the_time_limit_counts_as_a_match() -> None:
    assessor = RiskAssessor([RiskRule("r", r"^(?=a)(a|aa|a?a)*\1$(?<!a)", HIGH, "why")])
    start = time.thread_time()
    found = assessor.assess({"code": "a" * 5_000 + "!"})
    assert time.thread_time() - start < 2
    assert found.level is HIGH
    assert "why" in found.reasons[0]


def test_callable_gets_the_whole_dict() -> None:
    seen: list[dict[str, Any]] = []

    def note(action: dict[str, Any]) -> bool:
        seen.append(action)
        return bool(action["tool"] == "mail")

    action = {"action": "code", "code": "x = 1", "tool": "mail", "extra": {"a": 1}}
    found = RiskAssessor([RiskRule("r", note, HIGH, "why")]).assess(action)
    assert seen == [action]
    assert found.level is HIGH


def test_callable_that_raises_counts_as_triggered_and_says_so() -> None:
    def broken(action: dict[str, Any]) -> bool:
        raise ZeroDivisionError("the rule is broken")

    found = RiskAssessor([RiskRule("fragile", broken, HIGH, "why")]).assess({"code": "x = 1"})
    assert found.level is HIGH
    assert any("ZeroDivisionError" in reason or "the rule is broken" in reason for reason in found.reasons)


def test_an_empty_list_of_rules_means_the_defaults() -> None:
    assert RiskAssessor(rules=[]).assess({"code": "rm -rf data"}).level is CRITICAL


def forget_everything(assessor: RiskAssessor) -> None:
    """Empty the list of an instance's rules."""
    assessor.rules.clear()


def forget_the_defaults(assessor: RiskAssessor) -> None:
    """Empty the list of defaults as an instance shows it."""
    assessor.DEFAULT_RULES.clear()


def remove_one(assessor: RiskAssessor) -> None:
    """Remove one rule of an instance."""
    assessor.remove_rule("rm_recursive")


def add_one(assessor: RiskAssessor) -> None:
    """Add one rule to an instance."""
    assessor.add_rule(RiskRule("mine", "x", SAFE, "mine"))


@pytest.mark.parametrize("change", [forget_everything, forget_the_defaults, remove_one, add_one])
def test_defaults_cannot_be_changed_through_an_instance(change: Callable[[RiskAssessor], None]) -> None:
    before = [rule.name for rule in RiskAssessor.DEFAULT_RULES]
    change(RiskAssessor())
    assert [rule.name for rule in RiskAssessor.DEFAULT_RULES] == before
    assert [rule.name for rule in RiskAssessor().rules] == before


# Odd input


NO_TEXT = [{}, {"action": "code"}, {"code": None}, {"code": 42}, {"code": ["rm", "-rf", "x"]}, {"code": b"\xff\xfe rm"}]


def assessed_or_refused(action: dict[str, Any], rules: list[RiskRule] | None = None) -> RiskAssessment | str:
    """Return the assessment of an action, or the message that it was refused with."""
    try:
        return RiskAssessor(rules).assess(action)
    except InterlockError as error:
        return str(error)


@pytest.mark.parametrize("action", NO_TEXT)
@pytest.mark.parametrize("rules", [None, [RiskRule("r", "rm", HIGH, "why")]])
def test_code_that_is_no_text_gives_an_assessment_or_a_clear_error(
    action: dict[str, Any], rules: list[RiskRule] | None
) -> None:
    found = assessed_or_refused(action, rules)
    assert isinstance(found, RiskAssessment) or "code" in found


@pytest.mark.parametrize("code", [b"rm -rf data", bytearray(b"rm -rf data")])
def test_code_as_bytes_is_read_or_refused(code: Any) -> None:
    found = assessed_or_refused({"code": code})
    assert found.level is CRITICAL if isinstance(found, RiskAssessment) else "code" in found


def test_callable_that_stumbles_over_absent_code_counts_as_triggered() -> None:
    found = RiskAssessor([LARGE]).assess({"code": None})
    assert found.level is HIGH


# With and without a place


@pytest.mark.parametrize("target", ["x", "node_modules", "build", "./dist", "/tmp/x", "/home/u/project/build"])
def test_without_a_place_a_recursive_delete_is_critical(target: str) -> None:
    assert assess(f"rm -rf {target}").level is CRITICAL


@pytest.mark.parametrize("command", ["ls", "cat /etc/hosts", "systemctl status nginx", "apt install x", "touch a"])
def test_without_a_place_sudo_is_high(command: str) -> None:
    found = assess(f"sudo {command}")
    assert found.level is HIGH
    assert SUDO in found.reasons


@pytest.mark.parametrize("command", ["rm -rf node_modules", "rm -rf ./node_modules", "rm -rf build dist"])
def test_deleting_what_is_rebuilt_in_the_workspace_is_ordinary_work(command: str) -> None:
    decision = Engine(policies=[]).decide(Action.shell(command, **WHERE))
    assert decision.verdict is ALLOW
    assert decision.assessment.level <= MEDIUM


@pytest.mark.parametrize(
    "command",
    [
        "sudo ls",
        "sudo cat /etc/hosts",
        "sudo systemctl status nginx",
        "sudo ls /usr/bin",
        "sudo cat /boot/config",
        "sudo journalctl -u nginx",
    ],
)
def test_sudo_before_something_that_only_reads_is_medium_to_the_engine(command: str) -> None:
    assert Engine(policies=[]).decide(Action.shell(command, **WHERE)).assessment.level is MEDIUM


@pytest.mark.parametrize("command", ["sudo rm notes.txt", "sudo ./setup.sh", "sudo some-tool", "sudo tee /etc/hosts"])
def test_sudo_before_what_is_lost_or_unknown_is_high_to_the_engine(command: str) -> None:
    assert Engine(policies=[]).decide(Action.shell(command, **WHERE)).assessment.level is HIGH


LOCAL = ["http://localhost:8000/items", "http://127.0.0.1:3000/", "http://[::1]:8000/x", "http://api:8000/items"]
EXTERNAL = ["https://api.example.com/items", "http://93.184.216.34/items"]
SENDING = [
    "curl -X POST {}",
    "curl -X PUT {}",
    "curl -X PATCH {}",
    "curl -X DELETE {}",
    "import requests; requests.post('{}')",
    "import requests; requests.put('{}')",
    "import requests; requests.patch('{}')",
    "import requests; requests.delete('{}')",
]


def request(text: str, url: str) -> Action:
    """Return the action of a shell or Python text that sends something to an URL."""
    make = Action.python if text.startswith("import") else Action.shell
    return make(text.format(url), **WHERE)


@pytest.mark.parametrize("url", LOCAL)
@pytest.mark.parametrize("text", SENDING)
def test_changing_something_on_a_local_service_is_medium(text: str, url: str) -> None:
    assert Engine(policies=[]).decide(request(text, url)).assessment.level is MEDIUM


@pytest.mark.parametrize("url", EXTERNAL)
@pytest.mark.parametrize("text", SENDING)
def test_changing_something_outside_is_a_high_network_request(text: str, url: str) -> None:
    found = Engine(policies=[]).decide(request(text, url)).assessment
    assert found.level is HIGH
    assert ("network_request", HIGH) in [(finding.rule, finding.level) for finding in found.findings]


METADATA = [
    "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://metadata/computeMetadata/v1/",
    "http://[fd00:ec2::254]/latest/meta-data/",
]


@pytest.mark.parametrize("url", METADATA)
@pytest.mark.parametrize(
    "text", ["curl {}", "curl -X PUT {}", "import requests; requests.get('{}')", "import requests; requests.put('{}')"]
)
def test_a_metadata_service_is_never_ordinary(text: str, url: str) -> None:
    decision = Engine(policies=[]).decide(request(text, url))
    assert decision.assessment.level >= HIGH
    assert decision.verdict >= APPROVE


# Approval policies

ACTIONS = {
    SAFE: Action.python("print('hello')", **WHERE),
    LOW: Action.shell("cat README.md", **WHERE),
    MEDIUM: Action.shell("pip install requests", **WHERE),
    HIGH: Action.shell("git push --force origin main", **WHERE),
    CRITICAL: Action.sql("DROP DATABASE shop", **WHERE),
}
POLICY_ROWS = {
    "auto_approve": [ALLOW, ALLOW, ALLOW, ALLOW, ALLOW],
    "auto_deny": [ALLOW, BLOCK, BLOCK, BLOCK, BLOCK],
    "confirm_all": [APPROVE, APPROVE, APPROVE, APPROVE, APPROVE],
    "confirm_high_risk": [ALLOW, ALLOW, ALLOW, APPROVE, APPROVE],
    "confirm_medium_and_up": [ALLOW, ALLOW, APPROVE, APPROVE, APPROVE],
    "custom": [ALLOW, ALLOW, ALLOW, APPROVE, APPROVE],
}
POLICY_CELLS = [
    (name, level, verdict) for name, row in POLICY_ROWS.items() for level, verdict in zip(Level, row, strict=True)
]


def test_there_are_six_approval_policies() -> None:
    assert {policy.value for policy in ApprovalPolicy} == set(POLICY_ROWS)


def test_confirm_high_risk_is_the_default_policy() -> None:
    assert ApprovalPolicy.default() is ApprovalPolicy.CONFIRM_HIGH_RISK


@pytest.mark.parametrize(("name", "level", "verdict"), POLICY_CELLS)
def test_approval_policy_decides_by_level(name: str, level: Level, verdict: Verdict) -> None:
    for mode in (name, ApprovalPolicy(name)):
        decision = Engine(policies=[], mode=mode).decide(ACTIONS[level])
        assert decision.assessment.level is level
        assert decision.verdict is verdict


@pytest.mark.parametrize("level", list(Level))
def test_custom_asks_what_the_assessment_requires(level: Level) -> None:
    decision = Engine(policies=[], mode="custom").decide(ACTIONS[level])
    assert (decision.verdict is APPROVE) is decision.assessment.requires_approval


@pytest.mark.parametrize("name", list(POLICY_ROWS))
@pytest.mark.parametrize("command", ["rm -rf /", "mkfs.ext4 /dev/sda1", "dd if=/dev/zero of=/dev/sda"])
def test_floor_blocks_under_every_approval_policy(name: str, command: str) -> None:
    assert Engine(policies=[], mode=name).decide(Action.shell(command, **WHERE)).verdict is BLOCK
