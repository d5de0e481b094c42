"""Parts of texts and lists, changes of them, and operators that only a variable tells from a text."""

from __future__ import annotations

import shlex

import pytest

from interlock import Action, Level
from tests.reading import ENGINE, WHERE

EXEC = "require('child_process').execSync"
DANGEROUS = {
    "node -e": [
        f"const c = ['ls', 'pwd', 'rm -rf /']; {EXEC}(c.slice(-1)[0])",
        f"{EXEC}('xrm -rf /'.slice(1))",
        f"{EXEC}('xrm -rf /'.substring(1))",
        f"{EXEC}([['rm'], ['-rf', '/']].flat().join(' '))",
        f"{EXEC}(Object.values({{a: 'rm', b: '-rf /'}}).join(' '))",
        f"let a = ['rm -rf /', 'ls']; a.sort().reverse(); {EXEC}(a[0])",
        f"let a = ['ls']; a.length = 0; a.push('rm -rf /'); {EXEC}(a[0])",
        f"const a = ['rm -rf /', 'ls']; {EXEC}(a[+!1])",
        f"function run() {{ {EXEC}(Array.from(arguments).join(' ')) }} run('rm', '-rf', '/')",
        f"function run() {{ {EXEC}([].slice.call(arguments, 1).join(' ')) }} run('x', 'rm', '-rf', '/')",
        "function run(sh) { require('child_process').spawnSync(sh, ['-c', 'rm -rf /']) }",
    ],
    "ruby -e": [
        "c = ['ls', 'pwd', 'rm -rf /']; system(c[-1])",
        "system('xrm -rf /'[1..-1])",
        "system(%w[x rm -rf /].drop(1).join(' '))",
        "c = 'ls'; c<<';rm -rf /'; system(c)",
        "{a: 'rm -rf /'} => {a: c}; system(c)",
        "case ['rm -rf /']; in [c]; system(c); end",
        "def f(c: 'ls') = system(c)\nf(c: 'rm -rf /')",
        "def run(*) = system(*)\nrun('rm', '-rf', '/')",
        "def run(...) = system(...)\nrun('rm', '-rf', '/')",
        "def run(c, *args) = system(c, *args.map(&:to_s))\nrun 'rm', '-rf', '/'",
        "eval(['sys', \"tem('rm -rf /')\"].reduce(:+))",
        "x.find { |c| c }.public_send(:write, '/etc/passwd', 'x')",
        "Open3.capture2e('bash -s', stdin_data: text)",
        "system(%w[ls rm\\ -rf\\ /][1])",
        "s = []; s <<A\nsystem('rm -rf /')\nA\n",
        "y = 4; x = y /2 ; z = '/' ; system('rm -rf /')",
        "x = y ?system('rm -rf /') : 1",
        "x = :'; system('rm -rf /')",
        "require 'yaml'; t = YAML.load(\"- run: rm -rf /\\n\"); system(t[0]['run'])",
    ],
    "php -r": [
        "system(substr('xrm -rf /', 1));",
        "system(implode(' ', array_merge(['rm'], ['-rf', '/'])));",
        "system(json_decode('{\"c\": \"rm -rf /\"}', true)['c']);",
        "$c = [-1 => 'rm -rf /', 1 => 'ls']; system($c[-1]);",
        "$c = 'ls'; $$n = 'rm -rf /'; system($c);",
    ],
    "perl -e": [
        "my @c = ('ls', 'pwd', 'rm -rf /'); system($c[-1])",
        "system(substr('xrm -rf /', 1))",
        "tr/a-z/n-za-m/ for (my $c = 'ez -es /'); system $c",
        "s/^/rm -rf / for my @l = ('/'); system $_ for @l",
        "my ($x, $y) = ('a', '/'); s/^/rm -rf / for $x, $y; system $y",
        "my @l = map { s/^a/rm/; $_ } ('a -rf /'); system($l[0])",
        "system(join('', map { chr } (114, 109, 32, 45, 114, 102, 32, 47)))",
        "system('rm_-rf_/' =~ s/_/ /gr)",
        "our $c = 'ls'; $main::c = 'rm -rf /'; system($c)",
        "my %h = (c => 'ls'); @h{qw(c)} = ('rm -rf /'); system($h{c})",
        "my $c = 'ls'; substr($c, 0, 2, 'rm -rf /'); system($c)",
    ],
    "lua -e": [
        "os.execute(('xrm -rf /'):sub(2))",
        "local run = function(...) os.execute(table.concat({...}, ' ')) end run('rm', '-rf', '/')",
        "local function run(...) local a, b = ... os.execute(a .. b) end run('rm -rf ', '/')",
        "local _, c = (function() return 'ls', 'rm -rf /' end)() os.execute(c)",
        "c = 'ls' rawset(_G, 'c', 'rm -rf /') os.execute(c)",
    ],
}
HARMLESS = {
    "node -e": [
        f"const c = ['rm -rf /', 'pwd', 'ls']; {EXEC}(c.slice(-1)[0])",
        f"{EXEC}('xgit status'.slice(1))",
        f"let a = ['ls', 'git status']; a.sort().reverse(); {EXEC}(a[0])",
        f"function run() {{ {EXEC}(Array.from(arguments).join(' ')) }} run('git', 'status')",
    ],
    "ruby -e": [
        "c = ['rm -rf /', 'pwd', 'ls']; system(c[-1])",
        "total = 4; puts total /2 ; label = '/'",
        "list = []; list <<'ls'; puts list",
        "puts %w[rm\\ -rf a][0]; puts <<A\nrm -rf /\nA\n",
    ],
    "php -r": ["system(substr('xgit status', 1));", "$c = [-1 => 'rm -rf /', 1 => 'ls']; system($c[1]);"],
    "perl -e": [
        "my @c = ('rm -rf /', 'pwd', 'ls'); system($c[-1])",
        "s/^/ls / for my @l = ('/'); system $_ for @l",
        "print join('', map { chr } (114, 109, 32, 45, 114, 102, 32, 47))",
    ],
    "lua -e": ["local run = function(...) os.execute(table.concat({...}, ' ')) end run('git', 'status')"],
}


def level(program: str, code: str) -> Level:
    return ENGINE.decide(Action.shell(f"{program} {shlex.quote(code)}", **WHERE)).assessment.level


@pytest.mark.parametrize(("program", "code"), [(one, code) for one, codes in DANGEROUS.items() for code in codes])
def test_what_runs_in_the_end_is_read(program: str, code: str) -> None:
    assert level(program, code) >= Level.HIGH


@pytest.mark.parametrize(("program", "code"), [(one, code) for one, codes in HARMLESS.items() for code in codes])
def test_what_is_not_taken_does_not_count(program: str, code: str) -> None:
    assert level(program, code) <= Level.MEDIUM
