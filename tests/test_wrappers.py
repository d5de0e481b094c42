"""Wrappers: commands given as arguments are followed to what they run; text that only looks like one is not."""

from __future__ import annotations

import pytest

from interlock import Action, Level
from tests.reading import WHERE, level

CARRIED = [
    "sudo -u root -- {}",
    "su - someone -c '{}'",
    "runuser -u someone -- {}",
    "doas {}",
    "sg users -c '{}'",
    "gosu someone {}",
    "setpriv --reuid 1000 {}",
    "env - {}",
    "env -i -u X A-B=1 {}",
    "env -P /usr/bin {}",
    "env -S '{}'",
    "timeout -k 5 10 {}",
    "nice -n 5 {}",
    "ionice -c 3 {}",
    "chrt 10 {}",
    "taskset -c 0,1 {}",
    "stdbuf -o L {}",
    "/usr/bin/time -f %e {}",
    "numactl -N 0 {}",
    "cpulimit -l 50 -- {}",
    "strace -f -e trace=file {}",
    "valgrind --leak-check=full {}",
    "perf stat -e cycles {}",
    "watch -n 1 '{}'",
    "script -q /dev/null {}",
    "script -c '{}' typescript",
    "flock /tmp/lock {}",
    "flock /tmp/lock -c '{}'",
    "chroot --userspec=a:b /srv {}",
    "unshare -r -m {}",
    "nsenter -t 99 -n {}",
    "bwrap --bind / / --dev /dev --unshare-net {}",
    "firejail --net=none {}",
    "systemd-nspawn -D /srv {}",
    "systemd-run --on-active=5 {}",
    "busybox {}",
    "/lib64/ld-linux-x86-64.so.2 /bin/{}",
    "ip netns exec blue {}",
    "capsh --drop=all -- -c '{}'",
    "ssh host '{}'",
    "ssh -o ProxyCommand='{}' host",
    "sshpass -p x ssh host '{}'",
    "rsync -e '{}' a host:b",
    "echo '{}' | at now",
    "printf '%s\\n' '5 * * * * {}' | crontab -",
    "tmux new-session -d '{}'",
    "tmux new -d \\; send-keys '{}' Enter",
    "screen -dmS name {}",
    "expect -c 'spawn {}'",
    "echo x | xargs -I% sh -c '{}'",
    "echo x | xargs -n 1 -P 4 {}",
    "parallel {} ::: /",
    "parallel ::: '{}'",
    "find . -exec {} \\;",
    "fd -x {}",
    "entr -s '{}'",
    "watchexec -e py -- {}",
    "nodemon --exec '{}'",
    "hyperfine --prepare '{}' ls",
    "direnv exec . {}",
    "dotenv -f .env run {}",
    "nix-shell --run '{}'",
    "conda run -n base {}",
    "poetry run {}",
    "uv run --with x {}",
    "npx -c '{}'",
    "npm exec -- {}",
    "bundle exec {}",
    "printf 'all:\\n\\t{}\\n' | make -f -",
    "make --eval='$(shell {})'",
    "cmake -E env A=1 {}",
    "go test -exec '{}' ./...",
    "vim -es -c ':!{}' -c q",
    "emacs --batch --eval '(shell-command \"{}\")'",
    "gdb -batch -ex 'shell {}'",
    "gdb --args {}",
    "PAGER='{}' man ls",
    "git -c core.pager='{}' log",
    "git -c alias.x='!{}' x",
    "GIT_SSH_COMMAND='{}' git fetch",
    "git submodule foreach '{}'",
    "git bisect run {}",
    "tar cf x.tar --checkpoint=1 --checkpoint-action=exec='{}' y",
    "socat TCP-LISTEN:99 EXEC:'{}'",
    "apt-get update -o APT::Update::Pre-Invoke::='{}'",
    "wget --use-askpass='{}' https://example.com",
    "yt-dlp --exec '{}' https://example.com/v",
    "mapfile -C '{}' -c 1 < list",
    "start-stop-daemon --start --exec /bin/rm -- -rf /",
    "cmake -E rm -rf /",
    "npx rimraf /",
]


@pytest.mark.parametrize("carrier", CARRIED)
def test_a_carried_command_is_read(carrier: str) -> None:
    assert level(Action.shell(carrier.replace("{}", "rm -rf /"), **WHERE)) is Level.CRITICAL


HARMLESS = [
    "find . -exec echo -delete \\;",
    "find . -name '*.pyc' | xargs rm",
    "find build -type f -print0 | xargs -0 rm -f",
    "git -c core.pager=cat log",
    "git config alias.co checkout",
    "tmux ls",
    "sudo -l",
    "env A=1 ls",
    "vim notes.txt",
    "strace ls",
    "nmap localhost",
    "openssl x509 -noout -text -in server.pem",
    "curl --cert client.pem --key client.key https://example.com",
    "ip addr show",
    "ifconfig eth0",
    "npm publish --dry-run",
    "npm owner ls x",
    "cargo owner --list",
    "pacman -Ss vim",
    "brew services list",
    "npx eslint .",
    "go run main.go",
    "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
    "ping -c 1 $HOST",
    "ssh host uptime",
]


@pytest.mark.parametrize("command", HARMLESS)
def test_ordinary_use_runs(command: str) -> None:
    assert level(Action.shell(command, **WHERE)) <= Level.MEDIUM


def test_a_folder_that_an_option_names_is_the_program_s_own() -> None:
    assert level(Action.shell("make -C build all && rm -rf *", **WHERE)) >= Level.HIGH


def test_a_carried_change_of_folder_stays() -> None:
    assert level(Action.shell("builtin cd / && rm -rf etc", **WHERE)) is Level.CRITICAL
