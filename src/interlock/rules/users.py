"""User accounts and groups of the machine."""

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import MachineNames
from interlock.levels import Level
from interlock.rules.rule import Rule, any_of, effect, family

_WORDS = read_table("machine-names", MachineNames)

_AS_ROOT = any_of(" ".join(_WORDS.root_groups))

RULES = family(
    "users",
    Rule(
        name="root_group",
        level=Level.HIGH,
        when=effect("user.grant", named=_AS_ROOT),
        reason="Membership in this group is as good as being root",
        match=[
            "$ usermod -aG sudo eve",
            "$ useradd -m -G wheel,video eve",
            "$ gpasswd -a eve docker",
            "$ adduser eve sudo",
            "$ net localgroup administrators eve /add",
            "$ net group 'Domain Admins' eve /add /domain",
        ],
        no_match=["$ usermod -aG video eve", "$ groups eve", "$ gpasswd -a eve audio"],
    ),
    Rule(
        name="second_root",
        level=Level.CRITICAL,
        when=(effect("user.add", "not_unique"), effect("user.change", "root")),
        reason="A second account with user ID 0 is a hidden root account",
        match=["$ useradd -o -u 0 -g 0 eve", "$ usermod --non-unique -u 0 eve", "$ dsenableroot"],
        no_match=["$ useradd -u 1001 eve", "$ id -u"],
    ),
    Rule(
        name="root_account",
        level=Level.CRITICAL,
        when=effect("user.change user.add", named=any_of("root")),
        reason="Control over root's sign-in is control over the machine",
        match=["$ passwd root", "$ passwd -u root", "$ usermod -U root", "$ passwd -d root"],
        no_match=["$ passwd -S root", "$ passwd eve"],
    ),
    Rule(
        name="password_set",
        level=Level.HIGH,
        when=effect("user.change user.add", "password"),
        reason="A new password hands over the account and locks its owner out",
        match=["$ echo 'eve:x' | chpasswd", "$ passwd eve", "$ useradd -p x eve", "$ dscl . -passwd /Users/eve x"],
        no_match=["$ passwd -S", "$ useradd eve"],
    ),
    Rule(
        name="password_removed",
        level=Level.CRITICAL,
        when=effect("user.change", "empty"),
        reason="An account without a password is open to everyone",
        match=["$ passwd -d eve", "$ passwd --delete eve"],
        no_match=["$ passwd -S eve", "$ passwd -l eve"],
    ),
    Rule(
        name="user_removed",
        level=Level.HIGH,
        when=effect("user.change", "remove", without="home"),
        reason="A removed account leaves its files without an owner",
        reversible=False,
        match=["$ userdel eve", "$ groupdel staff", "$ dscl . -delete /Users/eve"],
        no_match=["$ id eve", "$ useradd eve"],
    ),
    Rule(
        name="user_removed_with_home",
        level=Level.CRITICAL,
        when=effect("user.change", "remove", "home"),
        reason="The account would be deleted with all of its files",
        reversible=False,
        match=["$ userdel -r eve", "$ deluser --remove-home eve"],
        no_match=["$ userdel eve"],
    ),
    Rule(
        name="user_locked",
        level=Level.HIGH,
        when=effect("user.change user.add", "lock"),
        reason="A locked account keeps its owner out",
        match=["$ usermod -L eve", "$ passwd -l eve"],
        no_match=["$ passwd -S eve"],
    ),
    Rule(
        name="sign_in_method",
        level=Level.HIGH,
        when=effect("user.change", "signin"),
        reason="Authentication would change for everyone",
        match=["$ authconfig --update --disablesssd", "$ authselect select minimal"],
        no_match=["$ authconfig --test --enablenis", "$ id"],
    ),
    Rule(
        name="user_change",
        level=Level.HIGH,
        when=effect("user.change", without="remove lock password empty signin root"),
        reason="Accounts and passwords decide who can sign in",
        match=["$ chage -E 0 eve", "$ vipw", "$ dscl . -create /Users/eve", "$ net user eve x /add"],
        no_match=["$ whoami", "$ id", "$ chage -l eve", "$ dscl . -read /Users/eve"],
    ),
    Rule(
        name="user_add",
        level=Level.HIGH,
        when=effect("user.add"),
        reason="A new account or group can own files and run programs",
        match=["$ useradd -m eve", "$ groupadd staff"],
        no_match=["$ getent passwd eve", "$ useradd -D"],
    ),
    Rule(
        name="user_grant",
        level=Level.MEDIUM,
        when=effect("user.grant"),
        reason="Members of a group can use what it owns",
        match=["$ usermod -aG video eve", "$ gpasswd -a eve audio"],
        no_match=["$ groups eve", "$ getent group video"],
    ),
)
