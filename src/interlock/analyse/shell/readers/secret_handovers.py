"""Secrets that are handed to images and builds of others: `docker run -e TOKEN image`, `docker build --build-arg`."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.analyse.files.traits import traits
from interlock.analyse.secrets.disclosure import holds_value
from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.shell.call import ShellCall
from interlock.patterns import late

_HANDED = frozenset({"secret", "handed_over"})
# Images of this machine and official ones: no account before the name, a local registry, or a tag of a local build.
_OWN_IMAGE = late(r"(?:localhost(?::\d+)?/.*|library/.*|[^/]+|.*:(?:dev|local|test|latest-dev|debug|ci))$")


def report_handed_over(call: ShellCall, options: Iterable[tuple[str, str]], image: str) -> None:
    """Report secrets of this machine that a container of somebody else's image is given."""
    if not image or _OWN_IMAGE.match(image):
        return
    for option, value in options:
        name, equals, text = value.partition("=")
        given = option in ("-e", "--env") and is_secret_name(name) and (not equals or holds_value(text))
        if given or (option == "--env-file" and "secret" in traits(value)):
            call.scope.reading.emit("container.run", call.site, image, _HANDED)
            return


def report_build_arguments(call: ShellCall, options: Iterable[tuple[str, str]]) -> None:
    """Report secrets that stay in the layers of an image: build arguments are recorded in its history."""
    for option, value in options:
        name, equals, text = value.partition("=")
        if option == "--build-arg" and is_secret_name(name) and (not equals or holds_value(text)):
            call.scope.reading.emit("container.change", call.site, name, _HANDED)
            return
