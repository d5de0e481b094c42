"""Functions that are read with unknown parameters: what they would do is left out only if every call was followed."""

from __future__ import annotations

import pytest

from interlock.analyse.files.paths import Places
from interlock.analyse.flow import NOTHING
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.reading import Reading, Site

#: A function that deletes what it is given, and a call of it with a folder of the project.
CLEAN = {
    "javascript": "const fs=require('fs'),H=require('os').homedir(); "
    "function wipe(d){ fs.rmSync(d,{recursive:true,force:true}) } wipe('dist'); ",
    "ruby": "require 'fileutils'; H=Dir.home\ndef wipe(d)\n FileUtils.rm_rf(d)\nend\nwipe('dist')\n",
    "php": "<?php $h=getenv('HOME'); function wipe($d){ shell_exec('rm -rf '.$d); } wipe('dist'); ",
    "perl": "my $h=$ENV{HOME}; sub wipe { my ($d)=@_; remove_tree($d); } wipe('dist'); ",
    "lua": "local H=os.getenv('HOME') function wipe(d) os.execute('rm -rf '..d) end wipe('dist') ",
}
#: Other calls of it: with a home folder, or with anything.
OTHERS = {
    "javascript": [
        "const g=wipe; g(H)",
        "[H].forEach(wipe)",
        "wipe.call(null,H)",
        "wipe.apply(null,[H])",
        "wipe.bind(null,H)()",
        "wipe.call(null,'dist')||wipe.call('dist',H)",
        "setTimeout(wipe,1,H)",
        "process.on('exit',()=>wipe(H))",
        "globalThis['wi'+'pe'](H)",
        "globalThis[k](H)",
        'eval("wipe(H)")',
        "eval(x)",
        "new wipe(H)",
        "Reflect.apply(wipe,null,[H])",
        "w\\u0069pe(H)",
        "wipe(...[H])",
        "const o={wipe}; o.wipe(H)",
        "o={f:wipe}; o.f(H)",
        "Promise.resolve(H).then(wipe)",
        "async function m(){ wipe(await Promise.resolve(H)) } m()",
        "function go(){ wipe(t) } let t='dist'; setTimeout(go,1); t=H",
        "let t='dist'; const go=()=>wipe(t); t=H; go()",
        "let t='dist'; function go(){wipe(t)} process.on('exit', go); t=H",
        "for(const x of [H]) wipe(x)",
        "let i='dist'; while(1){wipe(i); i=H}",
        "try{throw H}catch(e){wipe(e)}",
        "[1].map(()=>wipe(H))",
        "require('util').promisify(wipe)(H)",
        "wipe`${H}`",
        "(0,wipe)(H)",
        "(wipe)(H)",
        "wipe?.(H)",
        "const {wipe:w2}={wipe}; w2(H)",
        "this.wipe(H)",
        "exports.w=wipe; exports.w(H)",
        "class A{m(){wipe(this.h)} constructor(){this.h=H}} new A().m()",
        "function r(d,n){ if(n) wipe(d); else r(H,1) } r('dist',0)",
        "function a(d){b(d)} function b(d){ if(d) a(H); wipe(d)} a('dist')",
        "function go(){wipe(T)} var T='dist'; go(); T=H; go()",
        "function* g(){wipe(yield)} const it=g(); it.next(); it.next(H)",
        "const q=[]; q.push(()=>wipe(H)); q[0]()",
        "emitter.on('x', wipe); emitter.emit('x', H)",
        "var T='dist'; function go(){wipe(T)} function late(){T=H} go(); late(); go()",
        "var T='dist'; setInterval(go,1); function go(){wipe(T); T=H}",
    ],
    "ruby": [
        "send(:wipe,H)",
        "method(:wipe).call(H)",
        "[H].each { |x| wipe x }",
        "[H].each(&method(:wipe))",
        "wipe H",
        "wipe(*[H])",
        "public_send('wi'+'pe',H)",
        "alias w wipe; w(H)",
        "at_exit { wipe(H) }",
        "t='dist'; pr=->{ wipe(t) }; t=H; pr.()",
        "Thread.new(H) { |x| wipe(x) }",
        "self.wipe(H)",
        "Object.new.instance_eval { wipe(H) }",
        "define_method(:x) { wipe(H) }; x",
        "$t='dist'; def go; wipe($t); end; $t=H; go",
        "eval('wipe(H)')",
        "eval(x)",
        "trap('INT') { wipe(H) }",
        "begin; raise H; rescue => e; wipe(e.message); end",
        "H.then { wipe(_1) }",
        "catch(:x) { wipe(H) }",
        "def m(d = H) = wipe(d)\nm",
    ],
    "php": [
        "$f='wipe'; $f($h);",
        "call_user_func('wipe',$h);",
        "call_user_func_array('wipe',[$h]);",
        "array_map('wipe',[$h]);",
        "WIPE($h);",
        "\\wipe($h);",
        "wipe(d: $h);",
        "wipe(...[$h]);",
        "$g=wipe(...); $g($h);",
        "register_shutdown_function('wipe',$h);",
        "$f='wi'.'pe'; $f($h);",
        "$f=$x; $f($h);",
        "eval('wipe($h);');",
        "eval($x);",
        "(fn()=>wipe($h))();",
        "array_walk($a,function() use($h){ wipe($h); });",
        "$t='dist'; $c=function() use(&$t){wipe($t);}; $t=$h; $c();",
        "function go(){global $h; wipe($h);} go();",
        "set_error_handler(fn()=>wipe($h));",
        "usort($a,'wipe');",
        "(new ReflectionFunction('wipe'))->invoke($h);",
    ],
    "perl": [
        "&wipe($h);",
        "wipe $h;",
        "main->wipe($h);",
        "main::wipe($h);",
        "&{\\&wipe}($h);",
        "my $f=\\&wipe; $f->($h);",
        "my $f='wipe'; &$f($h);",
        "&{'wi'.'pe'}($h);",
        "for my $x ($h) { wipe($x) }",
        "map { wipe($_) } $h;",
        "eval 'wipe($h)';",
        "eval $x;",
        "$SIG{INT}=sub { wipe($h) };",
        "END { wipe($h) }",
        "goto &wipe if @_=($h);",
        "sub go { wipe($h) } go();",
        "@_=($h); &wipe;",
        "our $t='dist'; sub go { wipe($t) } $t=$h; go();",
        "wipe($_) for $h;",
        "my %d=(w=>\\&wipe); $d{w}->($h);",
    ],
    "lua": [
        "local g=wipe g(H)",
        "_G['wi'..'pe'](H)",
        "_G[k](H)",
        "pcall(wipe,H)",
        "for _,x in ipairs{H} do wipe(x) end",
        "(wipe)(H)",
        "wipe((H))",
        "local t={w=wipe} t.w(H)",
        "local t={w=wipe} t:w(H)",
        "load('wipe(H)')()",
        "load(x)()",
        "coroutine.wrap(wipe)(H)",
        "local t='dist' local function go() wipe(t) end t=H go()",
        "xpcall(wipe,print,H)",
        "table.foreach({H},function(_,x) wipe(x) end)",
        "local function m(d) d=d or H wipe(d) end m()",
        "string.gsub('x','x',function() wipe(H) end)",
        "setmetatable({},{__gc=function() wipe(H) end})",
        "wipe(select(1,H))",
        "getfenv().wipe(H)",
    ],
}
#: Other calls of it with what belongs to the project.
HARMLESS = {
    "javascript": [
        "wipe('build')",
        "for (const d of ['build', 'out']) wipe(d)",
        "function all() { wipe('build'); wipe('out') } all()",
        "function walk(d) { for (const f of fs.readdirSync(d)) { walk(d + '/' + f) } wipe(d) } walk('build')",
    ],
    "ruby": ["wipe 'build'", "%w[build out].each { |d| wipe(d) }", "def all = wipe('build')\nall"],
    "php": ["wipe('build');", "foreach (['build', 'out'] as $d) wipe($d);", "function all() { wipe('build'); } all();"],
    "perl": ["wipe 'build';", "wipe($_) for qw(build out);", "sub all { wipe('build') } all();"],
    "lua": ["wipe 'build'", "for _, d in ipairs{'build', 'out'} do wipe(d) end"],
}
PROJECT = ("dist", "build", "out")


def deleted(language: str, code: str) -> list[str]:
    """Return what a script deletes outside the folders of the project."""
    reading = Reading(Places(), LANGUAGES)
    LANGUAGES[language](reading, code, Site((0, len(code)), base=0), NOTHING)
    names = [
        effect.resource.name if effect.resource else "" for effect in reading.effects if effect.kind == "fs.delete"
    ]
    return [name for name in names if not name.startswith(PROJECT)]


@pytest.mark.parametrize(("language", "code"), [(one, code) for one, codes in OTHERS.items() for code in codes])
def test_a_call_that_may_be_given_anything_counts(language: str, code: str) -> None:
    assert deleted(language, CLEAN[language] + code)


@pytest.mark.parametrize(
    ("language", "code"), [(one, code) for one, codes in HARMLESS.items() for code in ["", *codes]]
)
def test_a_function_does_what_it_is_called_for(language: str, code: str) -> None:
    assert deleted(language, CLEAN[language] + code) == []
