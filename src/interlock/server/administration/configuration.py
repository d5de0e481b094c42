"""The configuration in force at a server: every setting with its origin, and what is wrong with the files."""

from __future__ import annotations

from interlock.config.origins import Setting
from interlock.gate.settings_in_force import list_settings
from interlock.model import Struct
from interlock.server.service import Service


class ConfigurationError(Struct, frozen=True, kw_only=True):
    """An error in a configuration file that does not load."""

    message: str
    file: str | None
    line: int | None


class ConfigurationInForce(Struct, frozen=True, kw_only=True):
    """The settings in force, the files they come from, settings that have no effect, and errors in newer files.

    While there are errors, the last configuration that loaded stays in force.
    """

    settings: list[Setting]
    files: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    errors: tuple[ConfigurationError, ...] = ()


def read_configuration(service: Service) -> ConfigurationInForce:
    """Return the configuration in force."""
    active = service.gate.configuration
    active.expire()
    active.refresh()
    config, error = active.config, active.error
    return ConfigurationInForce(
        settings=list_settings(config, active.layers, service.journal, service.settings),
        files=config.files,
        ignored=config.managed.ignored if config.managed is not None else (),
        errors=tuple(
            ConfigurationError(message=part.message, file=part.file, line=part.line)
            for part in (() if error is None else error.parts)
        ),
    )
