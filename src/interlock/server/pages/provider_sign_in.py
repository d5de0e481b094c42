"""Sign in and out with an OpenID Connect provider: redirect there, and handle the return."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit

from litestar import Response, get
from litestar.params import FromPath, QueryParameter

from interlock.access.provider_sign_in import ProviderSignIn, SignInResult
from interlock.errors import ForbiddenError
from interlock.sanitise import plain
from interlock.server.authorization import OPEN
from interlock.server.oidc.provider_http import ProviderError
from interlock.server.oidc.state import STATE_SECONDS, SignInStates, browser_secret
from interlock.server.pages.local_path import local_path
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.sign_in import limit_attempts, start_session

MAX_PARAMETER = 5_000


@get("/sign-in/oidc/{provider:str}", opt={"right": OPEN}, include_in_schema=False)
async def lead_to_provider(
    request: PageRequest,
    pages: PagesDependency,
    provider: FromPath[str],
    to: Annotated[str, QueryParameter(max_length=500)] = "/",
    moved: Annotated[bool, QueryParameter()] = False,
) -> Response[Any]:
    """Redirect to the provider. The browser first moves to the public address, where its cookies are needed later."""
    if not moved and request.headers.get("host", "").lower() != urlsplit(pages.service.url).netloc.lower():
        return _redirect(f"{pages.service.url}{request.url.path}?{urlencode({'to': to, 'moved': 'true'})}")
    browser = browser_secret(request.cookies.get(_cookie_name(pages)))

    def work() -> Response[Any]:
        found = pages.service.providers.get(provider)
        state = SignInStates(pages.service.authenticator).create(provider, local_path(to), browser)
        return _redirect(found.authorization_url(state, browser), _cookie(pages, browser))

    try:
        return await to_thread(work)
    except ProviderError as error:
        return pages.sign_in_page(request, status=502, error=str(error), wanted=to)


@get("/sign-in/oidc/{provider:str}/callback", opt={"right": OPEN}, include_in_schema=False)
async def return_from_provider(request: PageRequest, pages: PagesDependency, provider: FromPath[str]) -> Response[Any]:
    """Sign in a person who returns from the provider."""
    given = [request.query_params.getall(name, []) for name in ("code", "state", "error", "iss")]
    code, state, error = ("".join(values[:1])[:MAX_PARAMETER] for values in given[:3])
    iss = given[3][0] if given[3] else None
    browser = request.cookies.get(_cookie_name(pages), "")

    def work() -> tuple[SignInResult, str]:
        found = pages.service.providers.get(provider)
        if any(len(values) > 1 for values in given):  # read in two ways, a response could be of two providers
            raise ForbiddenError("the response has a parameter more than once; sign in again")
        wanted = SignInStates(pages.service.authenticator).use(state, provider, browser)
        found.check_issuer(iss)
        if error:
            raise ProviderError(f"{found.settings.label} did not sign you in ({plain(error)[:60]})")
        person = found.person(code, state, browser)
        authenticator, roles = pages.service.authenticator, pages.service.gate.config.roles
        return ProviderSignIn(pages.service.journal, authenticator.sessions, found.settings, roles).sign_in(
            person
        ), wanted

    try:
        result, wanted = await to_thread(work)
    except (ForbiddenError, ProviderError) as raised:
        limit_attempts(request, pages.service.link_limiter)  # only what fails counts, so nobody is locked out
        sessions = pages.service.authenticator.sessions
        await to_thread(sessions.record_failed_sign_in, f"oidc:{provider}", str(raised)[:200])
        return pages.sign_in_page(request, status=403, error=str(raised))
    pages.service.authenticator.clear_cache()  # roles and groups may have changed
    if not result.secret:
        return pages.sign_in_page(request, status=403, error=result.refusal)
    return await start_session(request, pages, result.secret, wanted)


@get("/sign-out/{provider:str}", opt={"right": OPEN}, include_in_schema=False)
async def sign_out_of_provider(request: PageRequest, pages: PagesDependency, provider: FromPath[str]) -> Response[Any]:
    """Redirect to the sign-out page of the provider."""

    def work() -> str:
        return pages.service.providers.get(provider).sign_out_url(f"{pages.service.url}/sign-in") or "/sign-in"

    try:
        return _redirect(await to_thread(work))
    except ProviderError as error:
        return pages.sign_in_page(request, status=502, error=str(error))


def _redirect(url: str, cookie: str | None = None) -> Response[Any]:
    headers = {"location": url} | ({"set-cookie": cookie} if cookie else {})
    return Response(None, status_code=303, headers=headers)


def _cookie_name(pages: PageRenderer) -> str:
    return f"{pages.service.authenticator.cookie_name}-oidc"


def _cookie(pages: PageRenderer, browser: str) -> str:
    """Return the cookie that ties a sign-in to this browser. The browser sends it when the provider redirects back."""
    secure = "; Secure" if pages.service.authenticator.secure else ""
    return f"{_cookie_name(pages)}={browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age={STATE_SECONDS}{secure}"


ROUTES = [lead_to_provider, return_from_provider, sign_out_of_provider]
