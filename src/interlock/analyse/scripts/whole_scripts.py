"""What only a whole script shows: code that was fetched and is run, and an environment that is printed.

Values are not followed through every function of every language. So these are found without following them: a script
that fetches something and runs code which its text does not tell runs what it fetched; a script that goes through
all variables and prints shows their values.
"""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.model import Effect
from interlock.patterns import late

_UNREAD = frozenset({"computed", "decoded", "native", "unread", "unpickle"})
_PRINTED = frozenset({"printed", "secret"})
# The whole environment, in all languages.
_ENVIRONMENT = (
    r"(?:os\.Environ\(\)|syscall\.Environ\(\)|env::vars(?:_os)?\(\)|(?:java\.lang\.)?System\.getenv\(\)"
    r"(?!\s*\[|\??\.(?:get|contains|key))|\(System/getenv\)"
    r"|(?:scala\.)?sys\.env\b(?!\s*\(|\.(?:get|contains|apply|keys|size))|ProcessInfo(?:\.processInfo|\(\))\.environment\b(?!\s*\[)"
    r"|GetEnvironmentVariables\(\)|\bgetEnvironment\b|\benvPairs\b(?:\(\))?|\bgetEnvMap\b|environment\.toAA(?:\(\))?|os\.environ\(\)"
    r"|Platform\.environment\b(?!\s*\[|\.(?:containsKey|keys))|Unix\.environment\b|System\.get_env\(\)|\bos:(?:getenv|env)\(\)"
    r"|\[array get (?:::)?env\]|\bprocess-environment\b|\(environ\)|\(get-environment-variables\)"
    r"|\(environment-variables[^)]*\)|posix-environ"
    r"|\bENV\.(?:each|to_\w+|map|select|sort|inspect)\b|(?<![/.])\benviron\b(?!\s*\[|\.get))"
)
_GOES_THROUGH = late(
    r"(?:\b(?:in|range|of)\s+|[:;]\s*|<-\s*|foreach\s*\{[^}]*\}\s*|\*{1,2}\w+\s*=\s*)" + _ENVIRONMENT + "|"
    r"(?i:print|puts|echo|display|io\.inspect|io:format|message|writeln|write-line|log|pprint|dump|show|disp|say|princ)"
    r"\w*[!.]?[^;\n=]{0,40}?"
    + _ENVIRONMENT
    + "|"
    + _ENVIRONMENT
    + r"[^;\n]{0,60}?(?:for_?[eE]ach|\.each|\.iter|\.map|\.entries|entrySet"
    r"|\|>|>>=|\.to_s|\.select|\.filter|\.find_all)"
    r"|\((?:for-each|run!|doseq|dolist|map|mapc|mapcar|foreach|loop)\b[^;]{0,80}?"
    + _ENVIRONMENT
    + r"|\bforeach\(\w+,\s*ENV\)|\bparray\s+(?:::)?env\b"
)
_PRINTS = late(
    r"(?i)\b(?:e?print\w*|puts|f?put(?:s|Str\w*)|echo|display\w*|io\.inspect|io:format|message|write(?:ln|-line|line)?|log|pprint|dump|show|disp|say"
    r"|princ|parray|cout|writefln)\b|print!|println!|NSLog"
)
_NAMES_ONLY = late(
    r"(?i)\bkeys\b|\.Key\b(?![\s\S]*\.Value\b)|\blen\(|\.(?:size|count|length)\b|keySet|\bset(?:Environment|Env)|\bcons\b|&:first"
)
# Settings of an application that are secrets: `Rails.application.credentials`, `config('services.stripe.secret')`.
_SETTINGS = late(
    r"Rails\.application\.(?:credentials|secrets|secret_key_base|encrypted)\b|Rails\.configuration\.secret\w*|Application\.get_all_env\b"
    r"|Application\.(?:get_env|fetch_env!?|compile_env)\([^)]*(?:secret|password|token|api_key)"
    r"|\b(?:config|Config::get|env|setting)\(\s*['\"][\w.]*(?:secret|password|token|_key|\.key|private)\w*['\"]"
    r"|\bsettings\.(?:\w*SECRET\w*|\w*PASSWORD\w*|DATABASES)\b|config\.(?:get|require)\(\s*['\"][\w.]*(?:secret|password|token|apiKey)['\"]"
)
_SHOWS_VALUE = late(
    r"\b(?:puts|pp?|print\w*|echo|dump|dd|var_dump|var_export|print_r|IO\.(?:puts|inspect)|console\.\w+|say|inspect)\b"
)
MAX_CHARS = 20_000


def report_whole(reading: Reading, text: str, first: int, site: Site) -> None:
    """Report what the effects of a script since `first` mean together with its text."""
    if "#|" in text:
        _read_pipelines(reading, text[:MAX_CHARS], site)
    _report_fetched_code(reading, first, site)
    if len(text) <= MAX_CHARS and (_prints_environment(text) or _prints_settings(text)):
        reading.emit("secret.read", site, "a secret", _PRINTED)


_COMMAND = r"(?:Process\s*\(\s*)?(?:\"[^\"\n]*\"|(?:Seq|List|Array|Vector)\s*\([^()\n]*\))(?:\s*\))?"
_PIPELINE = late(rf"{_COMMAND}(?:\s*#\|\s*{_COMMAND})+")
_PIPED = late(r"\s*#\|\s*")
_QUOTED = late(r"\"([^\"\n]*)\"")


def _read_pipelines(reading: Reading, text: str, site: Site) -> None:
    """Read commands that Scala joins by `#|` as the shell would: `"curl -s https://example.com" #| "sh" !`."""
    for found in _PIPELINE.finditer(text):
        parts = [" ".join(_QUOTED.findall(part)) for part in _PIPED.split(found[0])]
        reading.nest("shell", " | ".join(parts), site.behind("process"))


def _report_fetched_code(reading: Reading, first: int, site: Site) -> None:
    effects = reading.effects[first:]
    unread = any(map(_is_unread, effects))
    if not unread or any(effect.kind == "code.remote" for effect in effects):
        return
    for effect in effects:
        if effect.kind == "net.fetch" and effect.resource is not None:
            reading.emit("code.remote", site, effect.resource.name)
            return


def _is_unread(effect: Effect) -> bool:
    """Whether code runs that the text does not tell, or a file whose name it does not tell."""
    if effect.kind == "code.run":
        return effect.resource is not None and effect.resource.name.startswith("$")
    return effect.kind == "code.opaque" and not _UNREAD.isdisjoint(effect.flags)


def _prints_settings(text: str) -> bool:
    """Whether a script prints a setting of its application that is a secret.

    >>> _prints_settings("puts Rails.application.credentials.stripe"), _prints_settings("puts Rails.env")
    (True, False)
    """
    return (
        _SETTINGS.search(text) is not None
        and _SHOWS_VALUE.search(text) is not None
        and _NAMES_ONLY.search(text) is None
        and not text.rstrip(" ;)'\"").endswith(_QUESTIONS)
    )


_QUESTIONS = (".present?", ".nil?", ".blank?", ".any?", ".empty?", ".key?", ".keys")


def _prints_environment(text: str) -> bool:
    """Whether a script goes through all variables of the environment and prints something.

    >>> _prints_environment('for _, e := range os.Environ() { fmt.Println(e) }')
    True
    >>> _prints_environment('cmd.Env = append(os.Environ(), "A=b"); fmt.Println("done")')
    False
    """
    if "nv" not in text and "NV" not in text:  # every name of the environment has one of them
        return False
    found = _GOES_THROUGH.search(text)
    return found is not None and _PRINTS.search(text) is not None and _NAMES_ONLY.search(text) is None
