"""A bundle below all files: local files only tighten it, and whatever is wrong with it asks or refuses."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from interlock import Action, Engine
from interlock.analyse.action import Surroundings
from interlock.audit.keys import SigningKey, format_key
from interlock.central.background import is_due
from interlock.central.cache import keep_pull
from interlock.config.bundle import BundleError, open_bundle
from interlock.config.central_cache import LastPull, bundle_file, pull_file, server_file
from interlock.config.live import LiveEngine
from interlock.config.load import load
from interlock.config.loaded_files import own_files
from interlock.config.managed import ASKING
from interlock.config.trust import trust
from interlock.documents import Document
from interlock.errors import ConfigError
from interlock.gate import Gate
from interlock.levels import Verdict
from interlock.policy.policies import Policy
from tests.central_bundles import SETTINGS, TABLE, make_key, put_into_force, seal, sign

COW = Action(tool_name="cow")
LS = Action.shell("ls", cwd="/w", workspace="/w")


@pytest.fixture
def server(tmp_path: Path) -> SigningKey:
    """The key of the server."""
    return make_key(tmp_path / "server")


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder, whose file names a server."""
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.setenv("INTERLOCK_HOME", str(folder))
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    (tmp_path / "w").mkdir()
    monkeypatch.chdir(tmp_path / "w")
    (folder / "interlock.toml").write_text(TABLE)
    return folder


def write(own: Path, text: str) -> None:
    (own / "interlock.toml").write_text(f"{text}\n{TABLE}")


def verdict(action: Action) -> Verdict:
    return load().engine().decide(action).verdict


# the bundle counts


def test_a_bundle_replaces_the_defaults(server: SigningKey) -> None:
    put_into_force(sign(server, mode="assist", sensitive_paths=["payroll/**"], rules_off=["only_the_server_has_this"]))
    config = load()
    assert (config.mode, config.sensitive_paths, config.rules_off) == ("assist", ("payroll/**",), ())
    assert [policy.policy_id for policy in config.all_policies] == ["no-cows"]
    assert str(bundle_file()) in config.files
    assert verdict(COW) is Verdict.BLOCK


LOOSER = {
    'mode = "auto_approve"': "milder than `assist`",
    'mode = "tiers"': "milder than `assist`",
    'mode = "custom"': "milder than `assist`",
    'rules_off = ["git_force_push"]': "switching off",
    "second_opinion = false": "second opinion",
    'memory.strictness = "normal"': "memory",
    'trusted_hosts = ["evil.example"]': "trusting the host",
    'organisation.domains = ["evil.example"]': "who counts as inside",
    'workspace = "/"': "workspace",
    'home = "/srv"': "home",
    'machine = "disposable"': "machine",
    'environment = "development"': "environment",
    "timeouts.critical = 9": "how long a request waits",
    "approvals.remember_days = 400": "remember_days",
    'roles.leads = ["me"]': "members of the role `leads`",
    "crisis.context_bypass = true": "crisis",
    "default_policies = false": "default policies",
    'tools.x = "read"': "reading `x`",
    '[places]\n"/etc" = "scratch"': "place",
    '[reviewer]\nname="m"\nprotocol="openai"\nendpoint="https://m.example/v1"\nmodel="m"\nlifts="high"': "model lift",
    '[[policies]]\npolicy_id = "x"\naction = "allow"\nwhen = "true"': "it allows",
    '[[policies]]\npolicy_id = "x"\naction = "warn"\nwhen = "true"\napproval = {liftable = true}': "model may lift it",
}


@pytest.mark.parametrize("text", LOOSER)
def test_what_is_looser_in_the_users_own_file_has_no_effect(own: Path, server: SigningKey, text: str) -> None:
    put_into_force(
        sign(
            server, mode="assist", memory={"strictness": "strict"}, roles={"leads": ["bob"]}, approvals={}, rules_off=[]
        )
    )
    plain = load()
    write(own, text)
    config = load()
    assert config.managed is not None
    assert [note for note in config.managed.ignored if LOOSER[text] in note and "interlock.toml:" in note]
    same = {"managed": plain.managed, "policies": plain.policies, "given": plain.given}
    kept = msgspec.structs.replace(config, reviewer=None, **same)
    assert kept == plain
    assert all(one.action is not Verdict.ALLOW for one in config.policies)
    assert all(one.approval is None or not one.approval.liftable for one in config.policies)
    assert config.reviewer is None or config.reviewer.lifts == "none"


def test_each_setting_that_has_no_effect_is_named_with_its_line(own: Path, server: SigningKey) -> None:
    put_into_force(sign(server, mode="assist"))
    allow = '[[policies]]\npolicy_id = "{}"\naction = "allow"\nwhen = "true"\n'
    block = '[[policies]]\npolicy_id = "kept"\naction = "block"\nwhen = "toolName == \'x\'"\n'
    write(own, 'mode = "full"\n' + allow.format("one") + block + allow.format("two"))
    config = load()
    assert config.managed is not None
    lines = [note.partition("interlock.toml:")[2].split(":")[0] for note in config.managed.ignored]
    assert lines == ["1", "4", "12"]
    assert verdict(Action(tool_name="x")) is Verdict.BLOCK


@pytest.mark.parametrize(
    "text", ["mode = []", "policies = 3", "modes = 3\nmode = 'full'", "[[policies]]\npolicy_id = []"]
)
def test_a_local_file_with_a_mistake_is_an_error(own: Path, server: SigningKey, text: str) -> None:
    put_into_force(sign(server))
    write(own, text)
    with pytest.raises(ConfigError):
        load()


def test_what_is_stricter_in_a_local_file_counts(own: Path, server: SigningKey) -> None:
    put_into_force(sign(server, mode="assist", approvals={"remember_days": 30, "queue_hours": 5}))
    write(
        own,
        'mode = "confirm_all"\nsensitive_paths = ["x"]\nenvironment = "production"\napprovals.remember_days = 3\n'
        '[[policies]]\npolicy_id = "no-cows"\naction = "block"\nwhen = "toolName == \'calf\'"',
    )
    config = load()
    assert config.managed is not None
    assert config.managed.ignored == ()
    assert (config.sensitive_paths, config.environment) == (("x",), "production")
    assert config.mode == "assist+confirm_all"  # each of the two is stricter at another level
    assert [verdict(LS), verdict(Action.shell("rm -rf /"))] == [Verdict.REQUIRE_APPROVAL, Verdict.BLOCK]
    assert (config.approvals.remember_days, config.approvals.expire_hours) == (3, 5)
    assert [verdict(COW), verdict(Action(tool_name="calf"))] == [Verdict.BLOCK] * 2  # both policies of that id apply


def test_a_trusted_file_of_a_project_does_not_loosen_the_bundle(own: Path, server: SigningKey) -> None:
    put_into_force(sign(server, mode="assist"))
    file = Path("interlock.toml")
    file.write_text('mode = "auto_approve"\n')
    with pytest.raises(ConfigError, match="loosens"):
        load()
    trust(file, Document(file.read_text(), str(file)))
    assert load().mode == "assist"
    row = "".join(f'{level} = "allow"\n' for level in ("safe", "low", "medium", "high", "critical"))
    write(own, 'mode = "confirm_all"')
    file.write_text(f'[modes."assist+confirm_all"]\n{row}')
    trust(file, Document(file.read_text(), str(file)))
    assert verdict(LS) is Verdict.REQUIRE_APPROVAL
    file.write_text(TABLE)
    with pytest.raises(ConfigError, match="not in a project"):
        load()


def test_descriptions_of_programs_add_to_what_is_known_and_replace_nothing(own: Path, server: SigningKey) -> None:
    folder = own / "knowledge"
    folder.mkdir()
    (folder / "cow.toml").write_text('names = ["cow"]\ndoes = "system.read"\n[[examples]]\nrun = "cow"\neffects = []\n')
    put_into_force(sign(server))
    assert [one.own for one in load().knowledge] == [False]


def test_policies_of_the_store_and_of_programs_only_tighten(server: SigningKey) -> None:
    put_into_force(sign(server, mode="confirm_all"))
    allow = Policy("me", action=Verdict.ALLOW, when="true")
    with Gate() as gate:
        gate.policies.save(allow, "me", known=None)
        gate.policies.save(Policy("calves", action=Verdict.BLOCK, when="toolName == 'calf'"), "me", known=None)
        gate.configuration.reload_policies()
        assert gate.decide(LS).verdict is Verdict.REQUIRE_APPROVAL
        assert gate.decide(Action(tool_name="calf")).verdict is Verdict.BLOCK
    with pytest.raises(ConfigError, match="policy `me` would loosen"):
        Gate(policies=[allow])


@pytest.mark.skipif(os.geteuid() != 0, reason="the file must belong to root")
def test_the_file_of_the_administrator_binds_the_user(
    own: Path, tmp_path: Path, server: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "etc" / "interlock.toml"
    file.parent.mkdir(mode=0o755)
    for module in ("home", "load", "live", "loaded_files"):
        monkeypatch.setattr(f"interlock.config.{module}.MACHINE_FILE", file)
    file.write_text(f'mode = "assist"\n{TABLE}')
    (own / "interlock.toml").write_text(
        'mode = "auto_approve"\n[central]\nurl = "https://other.example"\nkey_variable = "X"\n'
    )
    put_into_force(sign(server, mode="full"))
    config = load()
    assert config.mode == "assist"
    assert config.central == SETTINGS
    assert config.managed is not None
    assert len(config.managed.ignored) == 2
    file.chmod(0o666)
    with pytest.raises(ConfigError, match="only root may write it"):
        load()


# there is none, or it is old


def test_everything_asks_until_there_is_a_bundle(own: Path) -> None:
    assert verdict(LS) is Verdict.REQUIRE_APPROVAL
    write(own, f'[[policies]]\npolicy_id = "{ASKING}"\naction = "allow"\nwhen = "true"')
    assert verdict(LS) is Verdict.REQUIRE_APPROVAL
    write(own, 'mode = "auto_approve"')
    assert verdict(LS) is Verdict.REQUIRE_APPROVAL
    (own / "interlock.toml").write_text(f'mode = "assist"\n{TABLE}require = false\n')
    assert verdict(LS) is Verdict.ALLOW
    assert load().managed is None


def test_a_bundle_without_a_limit_of_age_stays_in_force(server: SigningKey) -> None:
    put_into_force(sign(server), hours_ago=9_999)
    assert (verdict(LS), verdict(COW)) == (Verdict.ALLOW, Verdict.BLOCK)


def test_a_bundle_that_is_too_old_asks_until_the_server_answers(own: Path, server: SigningKey) -> None:
    (own / "interlock.toml").write_text(f"{TABLE}max_age_hours = 24\n")
    allow = {"policyId": "all", "action": "allow", "when": "true"}
    put_into_force(sign(server, policies=[allow]), hours_ago=23)
    live = LiveEngine()
    assert live.decide(LS).verdict is Verdict.ALLOW
    now = int(time.time() * 1_000_000)
    for answered, expected in (
        (now - 25 * 3_600_000_000, Verdict.REQUIRE_APPROVAL),
        (now, Verdict.ALLOW),
        (now + 48 * 3_600_000_000, Verdict.REQUIRE_APPROVAL),  # the clock was set back
    ):
        keep_pull(LastPull(url=SETTINGS.url, tried_at=answered, answered_at=answered))
        assert live.decide(LS).verdict is expected
    pull_file().write_bytes(b"{")
    assert live.decide(LS).verdict is Verdict.REQUIRE_APPROVAL


# it was changed


def test_a_bundle_that_was_changed_is_not_used(own: Path, server: SigningKey, tmp_path: Path) -> None:
    old, raw = sign(server, 6), sign(server, 7)
    put_into_force(raw)
    live = LiveEngine()
    for changed, problem in {
        raw.replace(b"no-cows", b"no-cowz"): "signature of the bundle is not valid",
        sign(make_key(tmp_path / "other"), 8): "this machine accepts",
        old: "older than the one that was in force",
        b"": "malformed",
        b"{}": "malformed",
    }.items():
        bundle_file().write_bytes(changed)
        with pytest.raises(ConfigError, match=problem):
            load()
        assert live.decide(COW).verdict is Verdict.BLOCK  # the last valid configuration stays in force
        assert live.error is not None
    bundle_file().unlink()
    with pytest.raises(ConfigError, match="is gone; run `interlock central pull`"):
        load()
    bundle_file().write_bytes(raw)
    assert live.decide(COW).verdict is Verdict.BLOCK
    assert live.error is None
    server_file().write_bytes(b"[]")
    with pytest.raises(ConfigError, match="cannot be read"):
        load()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "malformed"),
        ('{"format": 2}', "format 2"),
        ('{"format": 1}', "malformed"),
        ("[" * 100_000, "malformed"),
        (f'{{"format": 1, "sequence": {"9" * 400}}}', "malformed"),
    ],
)
def test_a_signed_text_that_is_no_bundle_is_refused(server: SigningKey, text: str, problem: str) -> None:
    with pytest.raises(BundleError, match=problem):
        open_bundle(seal(server, text), None)


def test_a_bundle_may_not_have_settings_that_are_for_one_machine(server: SigningKey) -> None:
    put_into_force(sign(server, store="sqlite:////tmp/x"))
    with pytest.raises(ConfigError, match="the setting `store`"):
        load()


def test_an_agent_cannot_write_the_bundle_or_the_administrators_file(own: Path) -> None:
    engine = Engine(around=Surroundings(guarded=own_files()))
    for path in (bundle_file(), server_file(), pull_file(), own / "interlock.toml", "/etc/interlock/interlock.toml"):
        for command in (f"echo x > {path}", f"rm -f {path}", f"cp /tmp/x {path}"):
            assert engine.decide(Action.shell(command, cwd="/w", workspace="/w")).verdict is Verdict.BLOCK, command
    for command in ("interlock central pull", "interlock central forget"):
        assert engine.decide(Action.shell(command)).verdict is Verdict.BLOCK
    assert engine.decide(Action.shell("interlock central status")).verdict is Verdict.ALLOW


# settings


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("url = 3", "must be an ASCII URL"),
        ('url = "http://interlock.example"', "must use https"),
        ('url = "https://a@interlock.example"', "must not have a user"),
        ('key_variable = "X"', "needs the `url`"),
        ('url = "https://x.example"', "either `key_variable` or `key_file`, found neither"),
        ('url = "https://x.example"\nkey_variable = "X"\nkey_file = "/x"', "found both"),
        ('url = "https://x.example"\nkey = "ilk_123"', "`key` must not be in this file"),
        ('url = "https://x.example"\nkey_variable = "ilk_abc"', "never the key itself"),
        ('url = "https://x.example"\nkey_file = "x"', "must be an absolute path"),
        ('url = "https://x.example"\nkey_variable = "X"\npublic_key = "nonsense"', "is not a public key"),
        ('url = "https://x.example"\nkey_variable = "X"\nrequire = 1', "must be true or false"),
        ('url = "https://x.example"\nkey_variable = "X"\nevery_minutes = 0', "must be at least 1"),
        ('url = "https://x.example"\nkey_variable = "X"\nmax_age_hours = -1', "must be at least 0"),
        ('url = "https://x.example"\nkey_variable = "X"\nrequired = true', "did you mean `require`"),
    ],
)
def test_mistakes_in_the_table_are_named_with_their_line(own: Path, text: str, problem: str) -> None:
    (own / "interlock.toml").write_text(f"[central]\n{text}\n")
    with pytest.raises(ConfigError, match=problem) as found:
        load()
    assert found.value.line is not None


def test_a_pinned_key_counts_more_than_the_one_that_was_seen_first(
    own: Path, server: SigningKey, tmp_path: Path
) -> None:
    put_into_force(sign(server))
    other = make_key(tmp_path / "other")
    (own / "interlock.toml").write_text(f'{TABLE}public_key = "{format_key(other.public)}"\n')
    with pytest.raises(ConfigError, match="this machine accepts"):
        load()
    put_into_force(sign(other, 8))
    load()


def test_a_pull_is_due_once_in_a_while(own: Path) -> None:
    assert is_due(SETTINGS)
    now = int(time.time() * 1_000_000)
    for ago, error, due in ((10, "", False), (200, "", False), (400, "", True), (70, "no", True), (-999, "", True)):
        at = now - ago * 1_000_000
        keep_pull(LastPull(url=SETTINGS.url, tried_at=at, answered_at=at, error=error))
        assert is_due(SETTINGS) is due, ago
