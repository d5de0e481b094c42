"""`GET /v1/configuration`: every setting in force, and where it comes from."""

from __future__ import annotations

from asyncio import to_thread

from litestar import get

from interlock.server.administration.configuration import ConfigurationInForce, read_configuration
from interlock.server.api.parameters import SEE, ServiceDependency
from interlock.server.api.responses import problem_responses


@get(
    "/configuration",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="The configuration in force",
    description="Every setting with its value and its origin: a file and a line, the bundle of a server, the store, an "
    "environment variable, the command line, or the defaults. Secrets are masked. `replaced` are values that another "
    "origin is stronger than; `errors` are those of files that do not load.",
    tags=["health"],
)
async def get_configuration(service: ServiceDependency) -> ConfigurationInForce:
    """Return the configuration in force."""
    return await to_thread(read_configuration, service)


ROUTES = [get_configuration]
