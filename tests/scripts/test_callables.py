"""Functions that run code or commands, as values: handed over, stored, called by name or through something else."""

from __future__ import annotations

import pytest

from interlock import Action, Level
from interlock.model import Assessment
from tests.reading import ENGINE, WHERE

CP = "require('child_process')"
CODE = f"`{CP}.execSync('rm -rf /')`"
#: The function is called with what stands beside it.
FOLLOWED = {
    "node": [
        f"setTimeout({CP}.exec, 0, 'rm -rf /')",
        f"'rm -rf /'.replace(/.*/, {CP}.execSync)",
        f"Array.from(['rm -rf /'], {CP}.execSync)",
        f"['rm -rf /'].map({CP}.execSync)",
        f"Promise.resolve('rm -rf /').then({CP}.execSync)",
        f"require('async').each(['rm -rf /'], {CP}.exec)",
        f"new Map([['x', {CP}.execSync]]).get('x')('rm -rf /')",
        f"[{CP}.execSync].pop()('rm -rf /')",
        f"Object.values({{a: {CP}.execSync}})[0]('rm -rf /')",
        f"let f = [{CP}.execSync]; f[i]('rm -rf /')",
        f"const o = {{}}; o[k] = {CP}.execSync; o[j]('rm -rf /')",
        f"exports.run = {CP}.execSync; exports.run('rm -rf /')",
        f"class A {{ constructor() {{ this.r = {CP}.execSync }} go() {{ this.r('rm -rf /') }} }} new A().go()",
        f"new Proxy({CP}.execSync, {{}})('rm -rf /')",
        f"{CP}.execSync.bind(null, 'rm -rf /')()",
        f"const run = {CP}.execSync.bind(null); run('rm -rf /')",
        f"Reflect.get({CP}, 'execSync')('rm -rf /')",
        f"Object.getOwnPropertyDescriptor({CP}, 'execSync').value('rm -rf /')",
        f"Function.prototype.call.call({CP}.execSync, null, 'rm -rf /')",
        f"Reflect.construct(Function, [{CODE}])()",
        f"new Worker({CODE}, {{eval: true}})",
        f"const {{Worker}} = require('worker_threads'); new Worker({CODE}, {{eval: true}})",
        f"require('vm').compileFunction({CODE}, ['require'])(require)",
        f"this['eval']({CODE})",
        f"eval.call(null, {CODE})",
        "process.execve('/bin/rm', ['rm', '-rf', '/'])",
        "require('execa').execaSync('rm', ['-rf', '/'])",
    ],
    "ruby": [
        "Kernel.`('rm -rf /')",
        "send(:`, 'rm -rf /')",
        ":system.to_proc.call(Kernel, 'rm -rf /')",
        "Kernel.public_method(:system)['rm -rf /']",
        "alias_method :z, :system; z 'rm -rf /'",
        "Object.send(:alias_method, :z, :system); z 'rm -rf /'",
        "define_method(:z, method(:system)); z 'rm -rf /'",
        "m = method(:system); m.('rm -rf /')",
        "{a: method(:system)}[:a].call('rm -rf /')",
        "h = {}; h[:x] = method(:system); h[y].call('rm -rf /')",
        "method(:system).curry.('rm -rf /')",
        "(method(:system) << :to_s.to_proc).call('rm -rf /')",
        "Kernel.instance_method(:system).bind_call(self, 'rm -rf /')",
        "Proc.new(&method(:system)).call('rm -rf /')",
        "ERB.new('<%= `rm -rf /` %>').result",
        "IO.read('|rm -rf /')",
        'system ["72", "6d"].pack("H2H2") + " -rf /"',
        "IO.foreach('|rm -rf /') {}",
    ],
    "php": [
        "array_filter(['rm -rf /'], 'system');",
        "$x = ['rm -rf /']; array_walk($x, 'system');",
        "array_reduce(['rm -rf /'], 'system');",
        "preg_replace_callback('/.*/', 'system', 'rm -rf /');",
        "filter_var('rm -rf /', FILTER_CALLBACK, ['options' => 'system']);",
        "forward_static_call('system', 'rm -rf /');",
        "iterator_apply($it, 'system', ['rm -rf /']);",
        "array_map(callback: 'system', array: ['rm -rf /']);",
        "(new ReflectionFunction('system'))->invoke('rm -rf /');",
        "(new ReflectionFunction('system'))->invokeArgs(['rm -rf /']);",
        "Closure::fromCallable('system')('rm -rf /');",
        "$f = system(...); $f('rm -rf /');",
        "extract(['x' => 'system']); $x('rm -rf /');",
        "$GLOBALS['x'] = 'system'; $x('rm -rf /');",
        "$x = 'system'; $GLOBALS['x']('rm -rf /');",
        "(function () { func_get_args()[0]('rm -rf /'); })('system');",
        "$o = new COM('WScript.Shell'); $o->Run('rm -rf /');",
        "create_function('', 'system(\"rm -rf /\");')();",
        "pcntl_exec('/bin/rm', ['-rf', '/']);",
    ],
    "lua -": [
        "t = {os.execute} t[1]('rm -rf /')",
        "local t = {} t[1] = os.execute t[1]('rm -rf /')",
        "local t = {} t[#t + 1] = os.execute t[#t]('rm -rf /')",
        "rawget(os, 'execute')('rm -rf /')",
        "xpcall(os.execute, print, 'rm -rf /')",
        "coroutine.wrap(os.execute)('rm -rf /')",
        "coroutine.resume(coroutine.create(os.execute), 'rm -rf /')",
        "string.gsub('rm -rf /', '.*', os.execute)",
        "table.unpack({os.execute})('rm -rf /')",
        "select(2, 1, os.execute)('rm -rf /')",
        "os.execute'rm -rf \\u{2f}'",
    ],
}
#: It is not known what is called, or with what.
UNKNOWN = {
    "node": [
        f"const m = new Map(); m.set('x', {CP}.execSync); m.get('x')('rm -rf /')",
        f"process.on('exit', {CP}.execSync)",
        f"foo(...[{CP}.execSync])",
        "globalThis[x]('rm -rf /')",
        "handlers[name]('rm -rf /')",
        "pick()().call(null, 'rm -rf /')",
    ],
    "ruby": [
        "send(name, 'rm -rf /')",
        "Kernel.public_send(name, 'rm -rf /')",
        "method(name).call('rm -rf /')",
        "x.call('rm -rf /')",
    ],
    "php": [
        "usort($list, 'system');",
        "ob_start('system'); echo 'rm -rf /';",
        "set_error_handler('system');",
        "is_callable('system', false, $n); $n('rm -rf /');",
        "$this->f = 'system'; ($this->f)('rm -rf /');",
        "$object->$name('rm -rf /');",
    ],
    "lua -": [
        "for _, f in pairs(os) do f('rm -rf /') end",
        "local f = t[k] f('rm -rf /')",
        "os[k]('x')",
        "setmetatable({}, {__index = os.execute})",
    ],
    "perl": ['&$n("rm -rf /")', '$n->("rm -rf /")'],
}
ORDINARY = {
    "node": [
        "['1', '2'].map(Number).forEach(console.log)",
        "setTimeout(console.log, 10, 'rm -rf build')",
        "console[level]('npm install failed')",
        "new Map([['a', parseInt]]).get('a')('7')",
        "handlers[name]('all done, see the log')",
        "this.eval = x; this.total = this.items.map(String)",
        "Object.entries(o).map(([k, v]) => v(k))",
        "Reflect.get(o, 'name')('rm -rf /')",
    ],
    "ruby": [
        "puts %w[a b].map(&:upcase)",
        "send(:puts, 'rm -rf build')",
        "alias_method :size, :length",
        "x = [1]; x << 2; puts x.sum",
        "items.each { |i| obj.send(i, 1) }",
        "x.call('all done')",
        "puts DATA.read\n__END__\nsystem 'rm -rf /'",
    ],
    "php": [
        "usort($list, 'strcmp'); print_r(array_map('trim', $list));",
        "echo in_array('system', $disabled) ? 'off' : 'on';",
        "if (function_exists('exec')) { echo 'yes'; }",
        "spl_autoload_register(function ($c) { require $c . '.php'; });",
        "$logger->$level('npm install failed');",
        "extract(['a' => 1]); echo $a;",
        "echo array_sum(array_filter([1, null, 2]));",
        "$f = strlen(...); echo $f('rm -rf /');",
    ],
    "lua -": [
        "local t = {3, 1} table.sort(t) print(t[1])",
        "local t = {print} t[1]('rm -rf build')",
        "for k, v in pairs({a = 1}) do print(k, v) end",
        "print(('x'):gsub('x', string.upper))",
        "print('\\u{48}i')",
    ],
}


def decide(program: str, code: str) -> Assessment:
    """Return how a script is judged that stands in a here-document."""
    head = "<?php " if program == "php" else ""
    return ENGINE.decide(Action.shell(f"{program} <<'QQ'\n{head}{code}\nQQ", **WHERE)).assessment


def rows(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return the rows of a table: program, code."""
    return [(program, code) for program, codes in table.items() for code in codes]


@pytest.mark.parametrize(("program", "code"), rows(FOLLOWED))
def test_a_function_is_followed_to_where_it_is_called(program: str, code: str) -> None:
    assert decide(program, code).level is Level.CRITICAL


@pytest.mark.parametrize(("program", "code"), rows(UNKNOWN))
def test_a_call_that_is_not_known_is_not_silent(program: str, code: str) -> None:
    assessment = decide(program, code)
    assert assessment.level >= Level.MEDIUM
    assert [effect for effect in assessment.effects if effect.kind == "code.opaque"]


@pytest.mark.parametrize(("program", "code"), rows(ORDINARY))
def test_ordinary_functions_as_values_are_quiet(program: str, code: str) -> None:
    assessment = decide(program, code)
    assert assessment.level <= Level.LOW
    assert assessment.coverage.full
