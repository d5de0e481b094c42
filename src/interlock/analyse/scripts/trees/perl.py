"""Perl."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.search_paths import add_search_path
from interlock.analyse.scripts.syntaxes.perl import PERL
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees import target_readers as t
from interlock.analyse.scripts.trees.language import AssignTarget, Handler, Language, span
from interlock.analyse.scripts.trees.perl_calls import (
    read_alone,
    read_call,
    read_callee,
    read_method,
    read_operator_call,
    read_reference_call,
)
from interlock.analyse.scripts.trees.perl_changes import (
    inner_target,
    read_operation,
    read_pattern,
    read_substitution,
    read_transliteration,
)
from interlock.analyse.scripts.trees.perl_names import (
    ARGUMENTS,
    arguments_of,
    look_up,
    read_array,
    read_declaration,
    read_element,
    read_hash,
    read_list,
    read_variable,
    variable_name,
)
from interlock.analyse.scripts.trees.perl_references import note_reference, to_glob, to_referenced
from interlock.analyse.scripts.trees.perl_targets import to_each, to_element, to_list, to_slice, to_variable
from interlock.analyse.scripts.trees.perl_texts import (
    read_command,
    read_format,
    read_heredoc,
    read_nested_end,
    read_pod,
    read_single,
    read_string,
    read_words,
)
from interlock.analyse.scripts.trees.reader import read_tree
from interlock.analyse.scripts.trees.source import ScriptSource
from interlock.analyse.scripts.trees.walker import MAX_ELEMENTS, Walker
from interlock.analyse.scripts.values import (
    MAX_CHOICES,
    Choice,
    Ref,
    ScriptFunction,
    as_text,
    either,
    flat,
    unknown,
)
from interlock.patterns import late

_PIPE = late(r"^\s*\||\|\s*$")


def _read_line(walker: Walker, node: Node) -> Any:
    """`<STDIN>`, `<$handle>`, `<>`, which opens what `@ARGV` names, commands as well."""
    name = walker.of(node).strip("<>$ ")
    if name in ("", "ARGV") and not walker.of(node).startswith("<<"):
        held = walker.names.get("ARGV")
        for one in flat([held]) if isinstance(held, (list, str)) else ():
            if isinstance(one, str) and _PIPE.search(one):
                walker.call(Ref("open"), [Ref("ARGV"), one], span(node))
            elif isinstance(one, str) and "I" in walker.names:  # `$^I`: files are edited in place
                walker.reading.file("fs.write", walker.where(span(node)), one)
            elif isinstance(one, str) and HOLE not in one:
                return walker.read_file(one, span(node))
        return walker.taint("input", "input")
    held = walker.names.get(name)
    return as_text(held) if held is not None else walker.taint("input", "input")


def _glob(walker: Walker, node: Node) -> Any:
    return walker.call(Ref("glob"), [read_string(walker, node)], span(node))


def _eval(walker: Walker, node: Node) -> Any:
    """`eval {…}`, `eval "…"`, `do {…}`, `do "file"`."""
    word = walker.of(node.children[0])
    inner = node.named_children[0] if node.named_child_count else None
    if inner is not None and inner.type == "block":
        walker.branches = walker.branches or word == "eval"
        return walker.block(inner)
    if inner is not None and inner.type == "filename":
        inner, word = (inner.named_children[0] if inner.named_child_count else inner), "do"
    given = [walker.evaluate(inner)] if inner is not None else [look_up(walker, "_")]
    return walker.call(Ref(word), given, span(node))


def _use(walker: Walker, node: Node) -> Any:
    """`use lib "folder"`, `use Module …`."""
    module = node.child_by_field_name("module")
    given = [value for child in node.named_children if child != module for value in arguments_of(walker, child)]
    if module is not None and walker.of(module) == "lib":
        add_search_path(walker, given, span(node))
    elif module is not None and walker.of(module) == "constant" and given:
        value = given[1] if len(given) == 2 else given[1:]
        pairs = given[0] if isinstance(given[0], dict) else {as_text(given[0]): value}
        walker.names |= {f"const {name}": one for name, one in pairs.items()}
    elif module is not None and walker.of(module).startswith("Inline"):
        walker.reading.unread("code of another language", walker.where(span(node)), flags=_NATIVE)
    return ""


_NATIVE = frozenset({"native"})


def _require(walker: Walker, node: Node) -> Any:
    given = [walker.evaluate(child) for child in node.named_children]
    return walker.call(Ref("require"), given, span(node))


def _reference(walker: Walker, node: Node) -> Any:
    """`\\&f` is the function itself; of anything else, what it refers to."""
    inner = node.named_children[0] if node.named_child_count else None
    if inner is not None:
        note_reference(walker, inner)
    if inner is not None and inner.type == "function_call_expression" and inner.named_child_count == 1:
        inner = inner.named_children[0]
    return read_callee(walker, inner) if inner is not None and inner.type == "function" else walker.each(node)


def _bareword(walker: Walker, node: Node) -> Any:
    """A word: a constant, or a name."""
    held = walker.names.get(f"const {walker.of(node)}")
    return walker.each(node) if held is None else held


def _to_part(walker: Walker, node: Node, _mark: str, value: Any) -> None:
    """`substr($x, 0, 2) = …`: a part of a variable is replaced."""
    walker.evaluate(node)
    given = node.child_by_field_name("arguments")
    target = given.named_children[0] if given is not None and given.named_child_count else given
    if target is not None and target.type in TARGETS:
        walker.assign_to(target, "bind", Choice((walker.evaluate(target), value, unknown("text"))))


def _each(walker: Walker, node: Node) -> Any:
    """`map {…} list`, `grep {…} list`, `sort {…} list`."""
    walker.branches = True
    callback, given = node.child_by_field_name("callback"), node.child_by_field_name("list")
    value = flat(arguments_of(walker, given))
    before = walker.names.get("_")
    each = value if 0 < len(value) <= MAX_ELEMENTS else [m.one_of(walker, value)]
    results = [_with_element(walker, callback, one) for one in each]
    if before is None:
        walker.names.pop("_", None)
    else:
        walker.names["_"] = before
    after = [one for _, one in results]
    if after != each:
        _change_elements(walker, given, None, reduce(either, after))
    if walker.of(node.children[0]) != "map":
        return _some_of(after if len(after) == len(value) else value)
    given_back = flat([result for result, _ in results])
    return given_back if each is value or isinstance(results[0][0], list) else walker.mix(*given_back)


def _with_element(walker: Walker, callback: Node | None, element: Any) -> tuple[Any, Any]:
    """Read what is done to an element; return what that gives, and what the element is afterwards."""
    if element is not None:
        walker.names["_"] = element
    result = walker.evaluate(callback) if callback is not None else ""
    return result, walker.names.get("_", element)


def _some_of(values: list[Any]) -> Any:
    """Return what `grep` and `sort` may give: all of some values, or one of them first."""
    if len(values) < 2:
        return values
    return Choice((values, *([one] for one in values[1:MAX_CHOICES])))


def _for(walker: Walker, node: Node) -> Any:
    target, given = node.child_by_field_name("variable"), node.child_by_field_name("list")
    one = m.one_of(walker, flat(arguments_of(walker, given)))
    name = variable_name(walker, target) if target is not None else "_"
    if name and one is not None:
        walker.names[name] = one
    m.repeat(walker, node, [child for child in node.named_children if child not in (target, given)], name)
    _change_elements(walker, given, one, walker.names.get(name))
    if name == "_":
        walker.names.pop("_", None)
    return ""


def _change_elements(walker: Walker, given: Node | None, before: Any, after: Any) -> None:
    """Give a list what a loop's own name became: it stands for the elements themselves."""
    if given is None or after is None or after == before:
        return
    inner = inner_target(given)
    for target in inner.named_children if inner.type == "list_expression" else [inner]:
        if target.type in ("scalar", "array", "variable_declaration"):
            walker.assign_to(target, "bind", after)


def _subroutine(walker: Walker, node: Node) -> Any:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    return walker.define(walker.of(name) if name is not None else "", _signature(node), body)


def _anonymous(walker: Walker, node: Node) -> Any:
    function = ScriptFunction("", _signature(node), node.child_by_field_name("body"), walker.source)
    walker.read_body(function, [])
    return function


def _signature(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type == "signature"), None)


def _word(walker: Walker, node: Node) -> Any:
    """A word before `=>` or in `{}`: a text."""
    return walker.of(node)


def _to_declared(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`my $x = …`, `my ($x, $y) = …`."""
    children = [child for child in node.named_children if child.type in TARGETS]
    if node.child_by_field_name("variables") is None and len(children) == 1 and "(" not in walker.of(node):
        walker.assign_to(children[0], mark, value)
    else:
        to_each(walker, children, mark, value)


NODES: dict[str, Handler] = {
    **dict.fromkeys(("source_file", "block", "block_statement", "varname"), m.statements),
    **dict.fromkeys(("comment", "eof_marker", "data_section", "label", "package", "prototype"), m.nothing),
    "pod": read_pod,
    "format_content": read_format,
    "heredoc_end": read_nested_end,
    "heredoc_content": m.heredoc_text,
    **dict.fromkeys(
        (
            "conditional_statement",
            "elsif",
            "else",
            "postfix_conditional_expression",
            "try_statement",
        ),
        m.branch,
    ),
    **dict.fromkeys(("loop_statement", "cstyle_for_statement", "postfix_loop_expression"), m.repeat),
    **dict.fromkeys(("for_statement", "postfix_for_expression"), _for),
    **dict.fromkeys(("scalar", "array", "hash", "container_variable", "arraylen", "glob"), read_variable),
    **dict.fromkeys(("hash_element_expression", "array_element_expression"), read_element),
    "number": m.number,
    **dict.fromkeys(("postinc_expression", "preinc_expression"), m.increment),
    "interpolated_string_literal": read_string,
    "string_literal": read_single,
    "command_string": read_command,
    "quoted_word_list": read_words,
    **dict.fromkeys(("heredoc_token", "command_heredoc_token"), read_heredoc),
    "autoquoted_bareword": _word,
    "bareword": _bareword,
    "readline_expression": _read_line,
    "fileglob_expression": _glob,
    **dict.fromkeys(("function_call_expression", "ambiguous_function_call_expression"), read_call),
    **dict.fromkeys(("func1op_call_expression", "func0op_call_expression"), read_operator_call),
    "function": read_alone,
    "method_call_expression": read_method,
    "coderef_call_expression": read_reference_call,
    "eval_expression": _eval,
    "do_expression": _eval,
    "require_expression": _require,
    "use_statement": _use,
    "substitution_regexp": read_substitution,
    **dict.fromkeys(("match_regexp", "quoted_regexp"), read_pattern),
    "transliteration_expression": read_transliteration,
    "refgen_expression": _reference,
    **dict.fromkeys(("map_grep_expression", "sort_expression"), _each),
    "anonymous_hash_expression": read_hash,
    "anonymous_array_expression": read_array,
    **dict.fromkeys(("list_expression", "parenthesized_expression"), read_list),
    **dict.fromkeys(("equality_expression", "relational_expression", "lowprec_logical_expression"), m.operation),
    "binary_expression": read_operation,
    "unary_expression": m.unary,
    "conditional_expression": m.conditional("consequent", "alternative"),
    "assignment_expression": t.assignment,
    "variable_declaration": read_declaration,
    "return_expression": m.returns,
    "subroutine_declaration_statement": _subroutine,
    "anonymous_subroutine_expression": _anonymous,
}

TARGETS: dict[str, AssignTarget] = {
    **dict.fromkeys(("scalar", "array", "hash"), to_variable),
    "glob": to_glob,
    **dict.fromkeys(("array_deref_expression", "hash_deref_expression", "scalar_deref_expression"), to_referenced),
    **dict.fromkeys(("function_call_expression", "ambiguous_function_call_expression"), _to_part),
    "variable_declaration": _to_declared,
    "slice_expression": to_slice,
    "localization_expression": t.to_inside(),
    **dict.fromkeys(("list_expression", "parenthesized_expression"), to_list),
    **dict.fromkeys(("hash_element_expression", "array_element_expression"), to_element),
    **dict.fromkeys(("mandatory_parameter", "optional_parameter", "slurpy_parameter"), t.to_inside()),
}

_RUNS = frozenset(
    {
        "ambiguous_function_call_expression",
        "coderef_call_expression",
        "command_heredoc_token",
        "command_string",
        "do_expression",
        "eval_expression",
        "func0op_call_expression",
        "func1op_call_expression",
        "function_call_expression",
        "match_regexp",
        "method_call_expression",
        "quoted_regexp",
        "require_expression",
        "substitution_regexp",
    }
)

SCRIPT = Language(
    ("perl",),
    NODES,
    TARGETS,
    {"anonymous_subroutine_expression": "body"},
    _RUNS,
    hole="$",
    arguments=ARGUMENTS,
    heredocs=(("heredoc_token", "command_heredoc_token"), "heredoc_content"),
)

#: Words that `'` may follow as a quote. After any other word, and after a variable, it may stand for `::`.
_BEFORE_QUOTES = (
    "q|qq|qx|qw|qr|m|s|y|tr|print|printf|say|eq|ne|lt|gt|le|ge|cmp|x|and|or|not|xor|if|unless|while|until|return|split|"
    "join|push|unshift|die|warn|system|exec|require|use|no|do|eval|lc|uc|ref|length|index|unlink|open"
)

_OLD_SEPARATOR = late(rf"(?<![\w'\\])((?:[$@%&]\w+|(?!(?:{_BEFORE_QUOTES})')[A-Za-z_]\w*))'(?=[A-Za-z_])")


def read_perl(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read Perl; where `'` may be a quote or stand for `::`, as before Perl 5.42, both ways."""
    flow = read_tree(reading, text, site, stdin, PERL, SCRIPT)
    if "'" in text:
        other = _OLD_SEPARATOR.sub(r"\1_", text)
        if other != text and str(ScriptSource(other, SCRIPT).root) != str(ScriptSource(text, SCRIPT).root):
            read_tree(reading, other, site, stdin, PERL, SCRIPT)
    return flow
