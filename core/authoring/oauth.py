"""OAuth logins: their model and rules. Nothing here talks to a provider."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from .fields import Flag, Model, Text, Texts, Whole
from .findings import Finding, Path
from .names import LOGIN_KEY, SECRET_NAME, matches
from .templates import SECRET_OPENING, is_one_secret, reference_faults, secret_findings
from .urls import carries_more, url_fault

Provider = Literal["google", "microsoft", "github", "bing-webmaster", "posthog", "generic"]

_ENDPOINTS = (
    "token_exchange_url",
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "device_authorization_endpoint",
    "revocation_endpoint",
)
_SET_BY_THE_FLOW = (
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
)
_PROVIDERS_WITHOUT_STATE = ("bing-webmaster",)
_POSTHOG_REGIONS = ("us", "eu")


class OAuthLogin(Model):
    """A login of the server's. Once checked, ``store_as`` names the secret that holds the refresh token."""

    provider: Provider
    client_id: Text
    """A literal, ${env:VAR}, or exactly one ${secret:NAME}."""
    client_secret: Text | None = None
    """Exactly one ${secret:NAME} (a literal for google only)."""
    token_exchange_url: Text | None = None
    """The author's own service that holds the client secret."""
    scopes: Texts
    flow: Literal["auto", "loopback", "device"] = "auto"
    redirect_port: Annotated[Whole | None, Field(json_schema_extra={"minimum": 1024, "maximum": 65535})] = None
    redirect_path: Text = "/callback"
    issuer: Text | None = None
    """Root of OAuth or OpenID discovery."""
    authorization_endpoint: Text | None = None
    token_endpoint: Text | None = None
    device_authorization_endpoint: Text | None = None
    revocation_endpoint: Text | None = None
    token_endpoint_auth: Literal["client_secret_post", "client_secret_basic", "none"] | None = None
    pkce: Flag | None = None
    extra_authorization_params: dict[Text, Text] = Field(default_factory=dict)
    options: dict[Text, Text] = Field(default_factory=dict)
    """What only some providers know: region (posthog), tenant (microsoft)."""
    store_as: Text = ""
    """Name of the secret that holds the refresh token."""


def oauth_findings(logins: Mapping[str, OAuthLogin], at: Path) -> Iterator[Finding]:
    for key, login in logins.items():
        place = (*at, key)
        if not matches(LOGIN_KEY, key):
            yield Finding(place, "is not a valid login key", f"expected {LOGIN_KEY}")
        yield from _client_findings(login, place)
        yield from _redirect_findings(login, place)
        yield from _endpoint_findings(login, place)
        yield from _option_findings(login, place)
        if login.store_as and not matches(SECRET_NAME, login.store_as):
            yield Finding((*place, "store_as"), "is not a valid secret name")
        if "store_as" in login.model_fields_set and not login.store_as:
            yield Finding((*place, "store_as"), "is not a valid secret name")


def _client_findings(login: OAuthLogin, at: Path) -> Iterator[Finding]:
    secret_inside = SECRET_OPENING in login.client_id
    if not login.client_id.strip() or (secret_inside and not is_one_secret(login.client_id)):
        yield Finding(
            (*at, "client_id"),
            "must be a non-empty string: a literal, ${env:VAR}, or exactly one ${secret:NAME}",
        )
    elif any(reference_faults(login.client_id, ())):
        yield Finding((*at, "client_id"), "has a malformed reference: write ${env:NAME} or ${secret:NAME}")
    if login.client_secret is not None and not is_one_secret(login.client_secret):
        if login.provider != "google":
            yield Finding(
                (*at, "client_secret"),
                "must be exactly one ${secret:NAME} reference",
                "a literal secret is never written into a definition",
            )
        elif not login.client_secret.strip() or "${" in login.client_secret:
            yield Finding((*at, "client_secret"), "must be one ${secret:NAME} reference or a non-empty literal")
    if login.client_secret is not None and login.token_exchange_url is not None:
        yield Finding(
            at,
            "client_secret and token_exchange_url exclude each other",
            "the token exchange service holds the client secret",
        )
    if not login.scopes or any(not scope.strip() for scope in login.scopes):
        yield Finding((*at, "scopes"), "must name at least one scope, none of them empty")


def _redirect_findings(login: OAuthLogin, at: Path) -> Iterator[Finding]:
    port = login.redirect_port
    if port is not None and not 1024 <= port <= 65535:
        yield Finding((*at, "redirect_port"), "must be a whole number from 1024 to 65535")
    if not login.redirect_path.startswith("/"):
        yield Finding((*at, "redirect_path"), 'must start with "/"')
    if port is None and login.provider in _PROVIDERS_WITHOUT_STATE:
        yield Finding(
            (*at, "redirect_port"),
            f'is required for provider "{login.provider}"',
            "it matches redirect URIs exactly and its answer carries no state",
        )


def _endpoint_findings(login: OAuthLogin, at: Path) -> Iterator[Finding]:
    if login.provider == "generic" and not (login.issuer or (login.authorization_endpoint and login.token_endpoint)):
        yield Finding(at, 'provider "generic" needs issuer, or both authorization_endpoint and token_endpoint')
    for name in _ENDPOINTS:
        url = getattr(login, name)
        if url is not None:
            fault = url_fault(url) or carries_more(url)
            if fault:
                yield Finding((*at, name), fault)


def _option_findings(login: OAuthLogin, at: Path) -> Iterator[Finding]:
    region = login.options.get("region")
    if login.provider == "posthog" and region is not None and region not in _POSTHOG_REGIONS:
        yield Finding((*at, "options", "region"), "must be us or eu")
    tenant = login.options.get("tenant")
    if login.provider == "microsoft" and tenant is not None and not tenant.strip():
        yield Finding((*at, "options", "tenant"), "must be a non-empty string")
    for name in login.extra_authorization_params:
        if name in _SET_BY_THE_FLOW:
            yield Finding(
                (*at, "extra_authorization_params", name), "is set by the login flow and cannot be overridden"
            )
    elsewhere = login.model_dump(exclude={"client_id", "client_secret"})
    yield from secret_findings(elsewhere, at)


def settled(key: str, login: OAuthLogin) -> OAuthLogin:
    """The login with the name of its secret filled in."""
    return login if login.store_as else login.model_copy(update={"store_as": f"oauth.{key}.refresh-token"})
