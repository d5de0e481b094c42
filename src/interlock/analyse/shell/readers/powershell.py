"""Windows shells: `powershell`, `cmd`, `Invoke-Expression` and `Start-Process`."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from interlock.analyse.addresses.destinations import share_address
from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.execution import run_file, run_flow
from interlock.analyse.shell.readers.windows import expand_option, plain_name, plain_words, raw_word
from interlock.knowledge.command import Command, Operands, Option
from interlock.patterns import late


def _invoke_expression(call: ShellCall) -> Flow:
    """`Invoke-Expression`: run its arguments, or standard input, as PowerShell."""
    words = [word for word in call.words[1:] if word.lower() not in ("-command", "-c")]
    text = " ".join(words)
    if _ELIXIR.match(text) or (not text and call.stdin is NOTHING):  # `iex` is also the shell of Elixir
        return call.with_words(["elixir", *call.words[1:]], call.nodes).tail(0, "iex", call.stdin)
    call.scope.reading.emit("code.eval", call.site)
    if not text:
        return run_flow(call, call.stdin, "powershell", "iex") if call.stdin is not NOTHING else UNKNOWN
    marks = call.scope.reading.marks(text)
    if HOLE in text and ("download" in marks or text.strip().startswith(HOLE)):
        return run_flow(call, Flow(None, marks), "powershell", "iex")
    return call.scope.reading.nest("powershell", text, call.site.behind("iex"))


_ELIXIR = late(r"-(?!c\w*\s)\S|\S+\.exs?$")


def _start_process(call: ShellCall) -> Flow:
    """`Start-Process FILE -ArgumentList …`; `-Verb RunAs` raises privileges."""
    spec = _START
    words = plain_words(call, spec, False)
    parsed = parse(words, spec)
    program = parsed.options.get("-filepath") or (parsed.operands[0].text if parsed.operands else "")
    given = parsed.options.get("-argumentlist") or " ".join(value.text for value in parsed.operands[1:])
    if parsed.options.get("-verb", "").lower() == "runas":
        call.scope.reading.emit("privilege.raise", call.site, "administrator")
    return call.scope.reading.nest("shell", f"{program} {given.replace(',', ' ')}", call.site.behind("Start-Process"))


_VALUE, _SWITCH = Option(value="data"), Option()
_START = Command(
    operands=Operands(rest="data"),
    options={
        "-filepath -argumentlist -verb -windowstyle -workingdirectory -redirectstandardoutput": _VALUE,
        "-wait -nonewwindow -passthru": _SWITCH,
    },
)
_POWERSHELL = Command(
    operands=Operands(rest="data"),
    options={
        "-command -commandwithargs -encodedcommand -encodedarguments -file": _VALUE,
        "-executionpolicy -windowstyle -version -inputformat -outputformat -configurationname": _VALUE,
        "-workingdirectory -psconsolefile -configurationfile -custompipename -settingsfile": _VALUE,
        "-noprofile -noninteractive -nologo -noexit -sta -mta -login -interactive -sshservermode": _SWITCH,
        "-noprofileloadtime -help": _SWITCH,
    },
)
_EXTRA = {
    "-c": "-command",
    "-cwa": "-command",
    "-commandwithargs": "-command",
    "-e": "-encodedcommand",
    "-ec": "-encodedcommand",
    "-ea": "-encodedarguments",
    "-ep": "-executionpolicy",
    "-ex": "-executionpolicy",
    "-w": "-windowstyle",
    "-f": "-file",
    "-nop": "-noprofile",
    "-noni": "-noninteractive",
    "-exec": "-executionpolicy",
}


def _powershell(call: ShellCall) -> Flow:
    """`powershell` and `pwsh`: run a command, an encoded command, a file or standard input."""
    reading, words, name = call.scope.reading, call.words, plain_name(call)
    at = 1
    while at < len(words):
        word = re.sub("^[/–—]", "-", words[at].lower())
        if word[:1] != "-" or word == "-":
            break
        word, colon, _ = word.partition(":")
        option = _EXTRA.get(word) or expand_option(word, _POWERSHELL)
        if colon and option == "-encodedcommand":
            return _run_encoded(call, words[at].partition(":")[2], name)
        at += 1
        if option == "-encodedcommand":
            return _run_encoded(call, words[at] if at < len(words) else "", name)
        if option == "-file" and at < len(words) and words[at] != "-":
            return run_file(call, _script_path(raw_word(call, at)), "powershell")
        if option == "-command":
            break
        at += bool((found := _POWERSHELL.option_table.get(option)) and found.value)
    text = " ".join(words[at:])
    if not text or text == "-":
        if call.stdin is not NOTHING:
            return run_flow(call, call.stdin, "powershell", name)
        reading.emit("process.run", call.site, name)
        return UNKNOWN
    if at + 1 == len(words) and re.fullmatch(r"\S+\.ps1", text, re.IGNORECASE):
        return run_file(call, _script_path(raw_word(call, at)), "powershell")
    if is_hole(text):
        return run_flow(call, Flow(None, reading.marks(text)), "powershell", name)
    site = call.inner(at) if at + 1 == len(words) else call.site
    return reading.nest("powershell", text, site.behind(name), call.stdin)


def _script_path(written: str) -> str:
    """Return the path of a script; one at another machine stays as it is written."""
    return written if share_address(written) else unix_path(written)


def _run_encoded(call: ShellCall, text: str, name: str) -> Flow:
    """Decode and analyse the value of `-EncodedCommand`, which is UTF-16 in base64."""
    reading = call.scope.reading
    try:
        if HOLE in text or not text:
            raise ValueError(text)
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-16-le").replace("\0", "")
    except (binascii.Error, ValueError):
        reading.unread("powershell code that is encoded", call.site, flags=frozenset({"decoded"}))
        return UNKNOWN
    if _HIDING.search(decoded):  # encoded text that runs other text hides what it is about
        reading.unread("powershell code that is encoded", call.site, flags=frozenset({"decoded"}))
    return reading.nest("powershell", decoded, call.site.behind(f"{name} -EncodedCommand"), call.stdin)


_HIDING = late(r"(?i)\b(?:iex|invoke-expression|frombase64string|downloadstring|webclient|invoke-webrequest|iwr|irm)\b")


def _cmd(call: ShellCall) -> Flow:
    """`cmd`: run the text after `/c`, or standard input, as a batch file."""
    words = [raw_word(call, index) for index in range(len(call.words))]
    for at, word in enumerate(words[1:], 1):
        found = _CMD_SWITCHES.match(word)
        if found is not None:
            text = " ".join([word[found.end() :], *words[at + 1 :]]).strip()
            return call.scope.reading.nest("batch", text, call.site.behind("cmd"), call.stdin)
        if word[:1] != "/":
            break
    if call.stdin is not NOTHING:
        return run_flow(call, call.stdin, "batch", "cmd")
    call.scope.reading.emit("process.run", call.site, "cmd")
    return UNKNOWN


#: The switch before the text that is run, with others in the same word: `/c`, `//c`, `/s/c`, `/e:on/v:on/c`.
_CMD_SWITCHES = late(r"(?i)(?:/{1,2}(?:[aqudsxyefv]|[efv]:(?:on|off)|t:\w+))*(?:/{1,2}|-)[ckr]")


POWERSHELLS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(("invoke-expression", "iex"), _invoke_expression),
    **dict.fromkeys(("start-process", "saps"), _start_process),
    **dict.fromkeys(("powershell", "pwsh", "pwsh-preview", "powershell_ise"), _powershell),
    "cmd": _cmd,
}
