"""Values that are changed in place, through a reference, in a loop or later count as what they may have become."""

from __future__ import annotations

import shlex

import pytest

from interlock import Action, Level
from tests.reading import ENGINE, WHERE, effects, shell

CP = "require('child_process').execSync"
RM = "require('fs').rmSync"
#: What runs is not what a name was given first.
CHANGED = {
    "node -e": [
        f"const a = ['ls']; a.unshift('rm -rf /'); {CP}(a[0])",
        f"const a = ['ls']; a.splice(0, 1, 'rm -rf /'); {CP}(a[0])",
        f"const a = ['ls']; a.fill('rm -rf /'); {CP}(a[0])",
        f"const a = ['ls', 'rm -rf /']; a.shift(); {CP}(a[0])",
        f"const a = ['ls', 'rm -rf /']; a.reverse(); {CP}(a[0])",
        f"const a = ['ls']; Array.prototype.splice.call(a, 0, 1, 'rm -rf /'); {CP}(a[0])",
        f"const o = {{c: 'ls'}}; Object.assign(o, {{c: 'rm -rf /'}}); {CP}(o.c)",
        f"const o = {{c: 'ls'}}; Object.defineProperty(o, 'c', {{value: 'rm -rf /'}}); {CP}(o.c)",
        f"const o = {{c: 'ls'}}; for (const k in o) o[k] = 'rm -rf /'; {CP}(o.c)",
        f"var c = 'ls'; globalThis.c = 'rm -rf /'; {CP}(c)",
        f"var c = 'ls'; eval(\"c = 'rm -rf /'\"); {CP}(c)",
        f"var c = 'ls'; (function () {{ arguments[0]() }})(function () {{ c = 'rm -rf /' }}); {CP}(c)",
        f"let c = 'ls'; while (x) {{ {CP}(c); c = 'rm -rf /' }}",
        f"const a = ['ls', 'rm -rf /']; for (let i = 0; i < a.length; i++) {CP}(a[i])",
        f"let d = 'build'; setImmediate(() => {RM}(d, {{recursive: true}})); d = '/etc'",
    ],
    "ruby -e": [
        "c = 'ls'; c.replace 'rm -rf /'; system c",
        "c = 'ls'; d = c; d << '; rm -rf /'; system c",
        "c = +' -rf /'; c.prepend 'rm'; system c",
        "c = +' -rf /'; c.insert 0, 'rm'; system c",
        "c = +'ls'; c.gsub!(/.*/, 'rm -rf /'); system c",
        "c = +'ls'; c[0..] = 'rm -rf /'; system c",
        "c = ['ls']; c.map! { 'rm -rf /' }; system c[0]",
        "h = {c: 'ls'}; h.merge!(c: 'rm -rf /'); system h[:c]",
        "h = {c: 'ls'}; h.store(:c, 'rm -rf /'); system h[:c]",
        "c = 'ls'; binding.local_variable_set(:c, 'rm -rf /'); system c",
        "c = 'ls'; eval 'c = \"rm -rf /\"'; system c",
        "d = 'build'; d.send(:replace, '/etc'); require 'fileutils'; FileUtils.rm_rf d",
    ],
    "php -r": [
        "$c = 'ls'; $r = &$c; $r = 'rm -rf /'; system($c);",
        "function f(&$x) { $x = 'rm -rf /'; } $c = 'ls'; f($c); system($c);",
        "$a = ['ls']; foreach ($a as &$c) { $c = 'rm -rf /'; } system($a[0]);",
        "$a = ['ls']; $b = &$a[0]; $b = 'rm -rf /'; system($a[0]);",
        "$a = ['ls']; array_unshift($a, 'rm -rf /'); system($a[0]);",
        "$a = (object)['c' => 'ls']; foreach ($a as $k => $v) $a->$k = 'rm -rf /'; system($a->c);",
        "$d = 'build'; $r = [&$d]; $r[0] = '/etc'; array_map('unlink', glob(\"$d/*\"));",
        "parse_str('f=system&c=ls', $o); $o['f']($o['c']);",
    ],
    "perl -e": [
        "my $c = 'ls'; my $r = \\$c; $$r = 'rm -rf /'; system $c",
        "my $c = 'ls'; for my $r (\\$c) { $$r = 'rm -rf /' } system $c",
        "my $c = 'ls'; sub set { my ($r, $v) = @_; $$r = $v } set(\\$c, 'rm -rf /'); system $c",
        "my $c = 'ls'; sub set { $_[0] = 'rm -rf /' } set($c); system $c",
        "my @c = ('ls'); sub set { my $r = shift; $r->[0] = 'rm -rf /' } set(\\@c); system $c[0]",
        "our $c = 'ls'; my $n = 'c'; $$n = 'rm -rf /'; system $c",
        "our $c = 'ls'; ${'main::c'} = 'rm -rf /'; system $c",
        "my @c = ('ls'); my $r = \\@c; @$r = ('rm', '-rf', '/'); system @c",
        "my @c = ('ls'); splice @c, 0, 1, 'rm', '-rf', '/'; system @c",
        "my %o = (c => 'ls'); my $r = \\$o{c}; $$r = 'rm -rf /'; system $o{c}",
        "my ($c) = grep { /^rm/ } ('ls', 'rm -rf /'); system $c",
        "*{'main::go'} = sub { exec @_ }; go('rm', '-rf', '/')",
        "use threads; threads->create(sub { system @_ }, 'rm -rf /')->join",
        "use constant {A => 'rm', B => '-rf'}; exec A, B, '/'",
        "my $re = '(?{ system(\"rm -rf /\") })'; use re 'eval'; 'a' =~ /a$re/",
        "CORE::system('rm -rf /')",
    ],
    "lua -e": [
        "local t = {'ls'}; table.insert(t, 1, 'rm -rf /'); os.execute(t[1])",
        "local t = {c = 'ls'}; rawset(t, 'c', 'rm -rf /'); os.execute(t.c)",
        "local t = {'ls'}; for k in pairs(t) do t[k] = 'rm -rf /' end; os.execute(t[1])",
        "c = 'ls'; _G.c = 'rm -rf /'; os.execute(c)",
        "c = 'ls'; load(\"c = 'rm -rf /'\")(); os.execute(c)",
        "local c = 'ls'; debug.setlocal(1, 1, 'rm -rf /'); os.execute(c)",
    ],
    "Rscript -e": [
        "x <- 'ls'; assign('x', 'rm -rf /'); system(x)",
        "x <- 'ls'; (function() x <<- 'rm -rf /')(); system(x)",
        "x <- list(c = 'ls'); x$c <- 'rm -rf /'; system(x$c)",
    ],
    "gawk": [
        'BEGIN { f = "system"; @f("rm -rf /") }',
        'function s(x) { system(x) } BEGIN { s("rm -rf /") }',
    ],
    "pwsh -Command": [
        "$d = 'build'; $r = [ref]$d; $r.Value = '/etc'; Remove-Item $d -Recurse -Force",
        "function s([ref]$p) { $p.Value = '/etc' } $d = 'build'; s ([ref]$d); Remove-Item $d -Recurse -Force",
        "$d = @('build'); $d.SetValue('/etc', 0); Remove-Item $d[0] -Recurse -Force",
        "$x = 'ls'; echo 'rm -rf /' -OutVariable x; iex $x[0]",
        "$x = [pscustomobject]@{c = 'ls'}; $x | Add-Member c 'rm -rf /' -Force; iex $x.c",
        "$x = 'ls'; $ExecutionContext.SessionState.PSVariable.Set('x', 'rm -rf /'); iex $x",
    ],
}
#: What is changed is something else, or becomes something as harmless.
UNCHANGED = [
    f"node -e|const a = ['ls']; a.push('pwd'); {CP}(a[0])",
    f"node -e|const a = ['git']; a.unshift('echo'); {CP}(a.join(' '))",
    f"node -e|const o = {{c: 'ls'}}; Object.assign(o, {{d: 'no rm -rf / here'}}); {CP}(o.c)",
    f"node -e|const p = JSON.parse(s); for (const k in p) p[k] = 'x'; {CP}('npm test')",
    f"node -e|let n = 0; for (const f of ['a', 'b']) {{ {CP}('ls ' + f); n++ }}",
    "ruby -e|c = +'git'; c << ' status'; system c",
    "ruby -e|names = []; names << 'a'; names.sort!; puts names; system 'ls'",
    "php -r|$n = 0; foreach ($rows as &$row) { $row['n'] = $n++; } system('ls');",
    "php -r|preg_match('/v(.*)/', $x, $m); echo $m[1];",
    "perl -e|my @a = ('ls'); my $r = \\@a; push @$r, '-l'; system @a",
    "perl -e|my $t = 'x'; my $r = \\$t; $$r = 'y'; system 'ls'",
    "perl -e|sub trim { my $r = shift; $$r =~ s/ //; } my $t = ' a'; trim(\\$t); print $t",
    "lua -e|local t = {}; for i = 1, 3 do t[i] = i end; os.execute('ls')",
    "Rscript -e|x <- list(n = 1); x$n <- 2; system('ls')",
    'gawk|{ sub(/a/, "b", $1); print $1 }',
    "pwsh -Command|$n = 0; [int]::TryParse('4', [ref]$n); Get-ChildItem -OutVariable files; $files.Count",
]


def level(program: str, code: str) -> Level:
    return ENGINE.decide(Action.shell(f"{program} {shlex.quote(code)}", **WHERE)).assessment.level


@pytest.mark.parametrize(("program", "code"), [(program, code) for program, rows in CHANGED.items() for code in rows])
def test_a_changed_value_is_seen(program: str, code: str) -> None:
    assert level(program, code) >= Level.HIGH


@pytest.mark.parametrize("row", UNCHANGED)
def test_an_ordinary_change_is_quiet(row: str) -> None:
    program, _, code = row.partition("|")
    assert level(program, code) <= Level.MEDIUM


FOLDERS = [
    "node -e|process.chdir('/etc'); require('fs').unlinkSync('old.txt')",
    "node -e|require('child_process').spawnSync('rm', ['old.txt'], {cwd: '/etc'})",
    "ruby -e|Dir.chdir('/etc') { File.delete('old.txt') }",
    "ruby -e|Process.spawn('rm', 'old.txt', chdir: '/etc')",
    "php -r|chdir('/etc'); unlink('old.txt');",
    "perl -e|chdir '/etc'; unlink 'old.txt'",
    "perl -e|chdir '/etc' if $x; unlink 'old.txt'",
    "lua -e|require('lfs').chdir('/etc'); os.remove('old.txt')",
    "tclsh|cd /etc; file delete old.txt",
]
NO_FOLDERS = [
    "ruby -e|Dir.chdir('/etc') { puts 1 }; File.delete('old.txt')",
    "node -e|require('child_process').spawnSync('ls', [], {cwd: '/etc'}); require('fs').unlinkSync('old.txt')",
    "node -e|if (x) process.chdir('/tmp/a'); require('fs').unlinkSync('old.txt')",
]


def deleted(row: str) -> str:
    program, _, code = row.partition("|")
    given = f"{program} <<'EOF'\n{code}\nEOF" if program == "tclsh" else f"{program} {shlex.quote(code)}"
    return " ".join(one for one in effects(shell(given)) if one.startswith("fs.delete"))


@pytest.mark.parametrize("row", FOLDERS)
def test_names_are_relative_to_the_folder_that_is_entered(row: str) -> None:
    assert "/etc/old.txt" in deleted(row)


@pytest.mark.parametrize("row", NO_FOLDERS)
def test_a_folder_that_is_left_or_not_surely_entered_changes_nothing(row: str) -> None:
    assert "/home/u/project/old.txt" in deleted(row)


REMOVE = {
    "node -e": "require('fs').rmSync({}, {{recursive: true}})",
    "ruby -e": "require 'fileutils'; FileUtils.rm_rf {}",
}
REMOVE |= {"perl -e": "use File::Path; rmtree({})", "php -r": "system('rm -rf ' . {});"}
#: Code, and the value of it that is deleted: each may be `/etc`, though `build` comes first.
VALUES = {
    "node -e": [
        ("let [, d] = ['build', '/etc']", "d"),
        ("let i = 0; const d = ['build', '/etc'][++i]", "d"),
        ("const o = {d: 'build'}; with (o) { d = '/etc' }", "o.d"),
        ("let d = '/etc'; d -= 1", "d"),
        ("const a = ['build', '/etc']; a.sort((x, y) => 1)", "a[0]"),
    ],
    "ruby -e": [
        ("d = if x then '/etc' else 'build' end", "d"),
        ("d = case x when 1 then '/etc' else 'build' end", "d"),
        ("d = begin; 'build'; rescue; '/etc'; end", "d"),
        ("f = ->(x) { return 'build' if x; '/etc' }", "f.(1)"),
        ("def f(x); return 'build' if x; '/etc'; end", "f(0)"),
        ("a = %w[build]; a += ['/etc']", "a"),
        ("h = {a: {b: 'build'}}; h.dig(:a)[:b] = '/etc'", "h[:a][:b]"),
    ],
    "perl -e": [
        ("my $d = do { if ($x) { '/etc' } else { 'build' } }", "$d"),
        ("sub f { return 'build' if $_[0]; '/etc' }", "f(0)"),
        ("my @q = ('/etc', 'build'); my @r; while (defined(my $x = pop @q)) { push @r, $x }", "$r[1]"),
        ("my $d = 'build'; my @r = (\\$d) x 2; ${ pop @r } = '/etc'", "$d"),
        ("our $d = 'build'; ${$main::{d}} = '/etc'", "$d"),
        ("my $d = 'build'; tie $d, 'T'", "$d"),
    ],
    "php -r": [
        ("$d = ['p' => 'build']; foreach ($d as $k => &$v) $v = '/etc';", "$d['p']"),
        ("[, $d] = ['build', '/etc'];", "$d"),
        ("$d = 'build'; parse_str('d=/etc', $r); extract($r);", "$d"),
    ],
}


@pytest.mark.parametrize(
    ("program", "code"),
    [(program, f"{code}; {REMOVE[program].format(value)}") for program, rows in VALUES.items() for code, value in rows],
)
def test_every_value_that_may_be_deleted_counts(program: str, code: str) -> None:
    assert level(program, code) >= Level.HIGH


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (program, f"{code}; {REMOVE[program].format(value)}".replace("/etc", "dist"))
        for program, rows in VALUES.items()
        for code, value in rows
        if not any(sign in code for sign in ("-=", "tie", "parse_str", "while"))  # what these give is not known
    ],
)
def test_deleting_build_output_is_quiet(program: str, code: str) -> None:
    assert level(program, code) <= Level.MEDIUM


WRITTEN = [
    'printf %s \'require("child_process").execSync("rm -rf /")\' > x.js; node -r ./x.js -e 1',
    "printf %s 'system(\"rm -rf /\")' > x.rb; ruby -r./x -e 1",
    "perl -d:'Trace;system(\"rm -rf /\")' -e 1",
    "perl -F'/x/,system(\"rm -rf /\")' -ane 1 f",
    "make -f - <<'EOF'\nMAKEFLAGS += --eval=x:;rm\\ -rf\\ /\nall: x\nEOF",
    "ghc -e ':! rm -rf /'",
    "cat > x.bat <<'EOF'\nset c=dir\nif defined x set c=rd /s /q C:\\Windows\n%c%\nEOF\ncmd /c x.bat",
    "cat > x.bat <<'EOF'\nset n=c\nset c=rd /s /q C:\\Windows\n!%n%!\nEOF\ncmd /c x.bat",
    "tclsh <<'EOF'\ndict for {k v} {exec {rm -rf /}} { $k {*}$v }\nEOF",
    "tclsh <<'EOF'\nlassign {rm -rf /} a b c; exec $a $b $c\nEOF",
    "tclsh <<'EOF'\nexec sh << \"rm -rf /\"\nEOF",
    "tclsh <<'EOF'\nset c ls; proc s {n} { upvar $n x; set x {exec rm -rf /} }; s c; eval $c\nEOF",
]
ORDINARY = [
    "printf %s 'x = 1' > x.js; node -r ./x.js -e 1",
    "perl -F, -lane 'print $F[0]' f",
    "perl -d:DProf -e 1",
    "make -f - <<'EOF'\nMAKEFLAGS += --no-print-directory\nall: ; echo x\nEOF",
    "cat > x.bat <<'EOF'\nset c=dir\nif defined x set c=cd\n%c%\nEOF\ncmd /c x.bat",
    "tclsh <<'EOF'\nforeach f {a b} { puts $f }\nEOF",
]


@pytest.mark.parametrize("command", WRITTEN)
def test_code_in_unusual_places_is_read(command: str) -> None:
    assert ENGINE.decide(Action.shell(command, **WHERE)).assessment.level >= Level.HIGH


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_uses_are_quiet(command: str) -> None:
    assert ENGINE.decide(Action.shell(command, **WHERE)).assessment.level <= Level.MEDIUM


SAID = [
    "tclsh <<'EOF'\nset c ls; proc s {n} { upvar $n x; set x {exec rm -rf /} }; s [gets stdin]; eval $c\nEOF",
    'ruby -e \'require "fileutils"; FileUtils.public_send(ARGV[0], "/srv/data")\'',
    'node -e \'require("fs")[name]("/srv/data")\'',
    "deno eval 'Deno.dlopen(\"./x.so\", {})'",
    "ruby -e 'syscall 59, path'",
    "lua -e 'local t = {}; fill(t); load(table.concat(t))()'",
]


@pytest.mark.parametrize("command", SAID)
def test_what_cannot_be_told_is_said(command: str) -> None:
    assert any(one.startswith("code.opaque") for one in effects(shell(command)))
