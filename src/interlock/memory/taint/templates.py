"""Templates that name secrets: rendering one puts the secrets into the result."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.words import file_words
from interlock.memory.model import Content, DataFlow
from interlock.model import Analysis
from interlock.patterns import late

MAX_TEXT, MAX_PATH = 20_000, 160
_NAME = (
    r"[A-Z0-9_]{0,40}(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL|DATABASE_URL|_DSN)"
    r"[A-Z0-9_]{0,40}\b"
)
#: A placeholder for a secret in a template: `${NPM_TOKEN}`, `{{ env "NPM_TOKEN" }}`, `<%= ENV['NPM_TOKEN'] %>`.
_PLACE = late(rf"\$\{{?{_NAME}|(?:\{{\{{|<%|\{{%)[^\n}}%>]{{0,60}}?\b{_NAME}")
#: Commands that fill in templates.
_RENDERERS = late(
    r"\b(?:envsubst|gomplate|jinja2?|j2|minijinja-cli|mustache|m4|confd|consul-template|esh|hbs|ejs|erb|ytt|dockerize|tera"
    r"|mo|chevron|tiller|helm template|cookiecutter|copier|expandvars|safe_substitute|Template\()"
    r"|\beval [\"']?(?:echo|cat)|\benviron\b"
)


def find_templates(analysis: Analysis) -> Iterator[DataFlow]:
    """Yield the templates that an action writes and that name secrets."""
    for path, file in analysis.files.items():
        if (
            path.endswith(file_words().template_endings)
            and len(path) <= MAX_PATH
            and _PLACE.search((file.text or "")[:MAX_TEXT])
        ):
            yield DataFlow((), (path,), Content.TEMPLATE)


def renders_template(command: str) -> bool:
    """Whether a command fills in templates."""
    return _RENDERERS.search(command) is not None
