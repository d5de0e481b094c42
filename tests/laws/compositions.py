"""What property tests put commands into: wrappers that run them, and carriers that only hold their text."""

from __future__ import annotations

import base64
import gzip
import shlex
from collections.abc import Callable

from interlock import RULES, Level


def _encoded(command: str) -> str:
    return base64.b64encode(command.encode()).decode()


def _zipped(command: str) -> str:
    return base64.b64encode(gzip.compress(command.encode(), mtime=0)).decode()


def _octal(command: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in command.encode())


def _templates(templates: dict[str, str]) -> dict[str, Callable[[str], str]]:
    def filled(template: str) -> Callable[[str], str]:
        return lambda command: template.format(
            plain=command,
            quoted=shlex.quote(command),
            encoded=_encoded(command),
            zipped=_zipped(command),
            hexed=command.encode().hex(),
            backwards=shlex.quote("\n".join(line[::-1] for line in command.split("\n"))),
            end=f"END_{len(command)}",
            name=f"v{len(command)}",
            octal=_octal(command),
            spawned=shlex.quote(f"import os; os.system({command!r})"),
            listed=shlex.quote(f"import subprocess; subprocess.run(['sh', '-c', {command!r}])"),
            constant=shlex.quote(f"x = {command!r}"),
            kept=shlex.quote(f"print(dict(a={command!r})['a'])"),
        )

    return {name: filled(template) for name, template in templates.items()}


#: Each of these runs what it is given.
WRAPPERS = _templates(
    {
        "sudo": "sudo sh -c {quoted}",
        "sudo -u": "sudo -n -u www-data bash -c {quoted}",
        "su": "su root -c {quoted}",
        "sh -c": "sh -c {quoted}",
        "bash -lc": "bash -lc {quoted}",
        "env": "env MARKED=1 sh -c {quoted}",
        "env -i": "env -i PATH=/bin bash -c {quoted}",
        "env -S": "env -S bash -c {quoted}",
        "command": "command bash -c {quoted}",
        "exec": "(exec bash -c {quoted})",
        "nohup": "nohup sh -c {quoted} &",
        "setsid": "setsid -f sh -c {quoted}",
        "nice": "nice -n 5 sh -c {quoted}",
        "stdbuf": "stdbuf -oL sh -c {quoted}",
        "timeout": "timeout 9 bash -c {quoted}",
        "timeout -k": "timeout -k 1 -s KILL 9s bash -c {quoted}",
        "time": "time sh -c {quoted}",
        "watch": "watch -n 5 {quoted}",
        "script": "script -q -c {quoted} /dev/null",
        "xargs": "echo x | xargs -I@@ sh -c {quoted}",
        "find": "find . -maxdepth 0 -exec sh -c {quoted} \\;",
        "busybox": "busybox sh -c {quoted}",
        "chroot": "chroot / sh -c {quoted}",
        "systemd-run": "systemd-run --wait sh -c {quoted}",
        "subshell": "({plain}\n)",
        "group": "{{ {plain}\n}}",
        "pipeline": "true | ({plain}\n)",
        "and": "true && ({plain}\n)",
        "or": "false || ({plain}\n)",
        "if": "if true; then\n{plain}\nfi",
        "else": "if false; then :; else\n{plain}\nfi",
        "for": "for i in 1 2; do\n{plain}\ndone",
        "while": "while false; do\n{plain}\ndone",
        "case": "case $1 in a) true ;; *)\n{plain}\n;; esac",
        "eval": "eval {quoted}",
        "eval of a variable": '{name}={quoted}; eval "${name}"',
        "a variable": '{name}={quoted}; bash -c "${name}"',
        "a default": 'bash -c "${{unset_{name}:-$(echo {encoded} | base64 -d)}}"',
        "function": "f() {{\n{plain}\n}}; f",
        "trap": "trap {quoted} EXIT",
        "stdin": "echo {quoted} | sh",
        "printf": "printf '%s\\n' {quoted} | bash",
        "octal": "printf '{octal}' | bash",
        "here-document": "bash <<'{end}'\n{plain}\n{end}",
        "here-string": "bash <<< {quoted}",
        "process substitution": "bash <(echo {quoted})",
        "source": "source <(echo {quoted})",
        "base64": "echo {encoded} | base64 -d | sh",
        "gzip": "echo {zipped} | base64 --decode | gunzip | sh",
        "hex": "echo {hexed} | xxd -r -p | sh",
        "openssl": "echo {encoded} | openssl base64 -d -A | bash",
        "reversed": "echo {backwards} | rev | sh",
        "background": "({plain}\n) &",
        "substitution": "echo $({plain}\n)",
        "a script": "echo {encoded} | base64 -d > /tmp/s.sh; sh /tmp/s.sh",
        "python": "python3 -c {spawned}",
        "subprocess": "python3 -c {listed}",
    }
)

#: Each of these holds a text as data and runs nothing of it.
CARRIERS = _templates(
    {
        "echo": "echo {quoted}",
        "printf": "printf '%s' {quoted}",
        "commit": "git commit -m {quoted}",
        "tag message": "git tag -a v1 -m {quoted}",
        "grep": "grep -rn {quoted} src",
        "rg": "rg -F {quoted} docs",
        "sed": "echo {quoted} | sed s/a/b/",
        "a variable": "X={quoted}",
        "export": "export X={quoted}",
        "test": "[ {quoted} = y ]",
        "double brackets": "[[ {quoted} == y ]]",
        "a note": "echo {quoted} > notes.txt",
        "a document": "cat > notes.md <<'END_OF_IT'\n{plain}\nEND_OF_IT",
        "a here-string": "wc -c <<< {quoted}",
        "an issue": "gh issue create --title x --body {quoted}",
        "jq": "jq -n --arg x {quoted} '$x'",
        "base64": "echo {quoted} | base64",
        "a counted text": "echo {quoted} | wc -l",
        "logger": "logger {quoted}",
        "a case": "case {quoted} in a) true ;; esac",
        "python": "python3 -c {constant}",
        "a dictionary": "python3 -c {kept}",
        "awk": "awk -v x={quoted} 'BEGIN {{ print x }}'",
        "a local request": "curl -d {quoted} http://localhost:8000/",
    }
)

#: Rules about a text as such: what cannot be seen, what is looked for, what is too much to be read.
ABOUT_TEXT = frozenset({"invisible_characters", "secret_search", "unread_input"})
MAX_EXAMPLE = 200


def dangerous_examples() -> list[tuple[str, str]]:
    """Return every shell example that a rule of level high or critical finds, with the rule's name."""
    return sorted(
        (rule.name, example[2:])
        for rule in RULES
        for example in rule.match
        if rule.level >= Level.HIGH
        and rule.name not in ABOUT_TEXT
        and example.startswith("$ ")
        and len(example) < MAX_EXAMPLE
    )
