"""Rules of OAuth logins."""

from __future__ import annotations

import pytest

SECRET = "${secret:app}"
ENDPOINTS = [
    "token_exchange_url",
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "device_authorization_endpoint",
    "revocation_endpoint",
]


@pytest.fixture
def of(faults, login):
    """Faults of one login called ``acme``, by path below it."""

    def find(**fields):
        found = faults(oauth={"acme": login(**fields)})
        return [path.removeprefix("oauth.acme").removeprefix(".") for path in found]

    return find


def test_no_logins_unless_declared(resolved):
    assert resolved(memory=[{"content": "x"}]).oauth == {}


def test_defaults_of_a_login(resolved, login):
    kept = resolved(memory=[{"content": "x"}], oauth={"acme": login()}).oauth["acme"]
    assert (kept.flow, kept.redirect_path, kept.store_as) == ("auto", "/callback", "oauth.acme.refresh-token")


@pytest.mark.parametrize("key", ["", "Acme", "-a", "a_b", "a" * 33, "a\n"])
def test_login_keys_have_a_form(faults, login, key):
    assert len(faults(oauth={key: login()})) == 1


def test_the_provider_is_a_known_one(of):
    assert of(provider="gitlab") == ["provider"]


def test_what_a_login_must_have(faults):
    assert list(faults(oauth={"acme": {}})) == ["oauth.acme.provider", "oauth.acme.client_id", "oauth.acme.scopes"]


@pytest.mark.parametrize(
    "client", ["", " ", "x${secret:app}", "${secret:a b}", "${secret:app", SECRET * 2, "${env:1}", 7]
)
def test_a_client_id_is_a_literal_or_one_reference(of, client):
    assert of(client_id=client) == ["client_id"]


@pytest.mark.parametrize("client", ["app", "${env:APP}", "${env:APP:-x}", SECRET, "https://acme.example/app.json"])
def test_client_ids_that_are_fine(of, client):
    assert of(client_id=client) == []


@pytest.mark.parametrize("secret", ["", "literal", "${env:APP}", "x" + SECRET, SECRET * 2])
def test_a_client_secret_is_exactly_one_reference(of, secret):
    assert of(client_secret=SECRET) == []
    assert of(client_secret=secret) == ["client_secret"]


def test_a_literal_client_secret_is_for_google_only(of):
    assert of(provider="google", client_secret="literal") == []
    assert of(provider="google", client_secret="") == ["client_secret"]
    assert of(provider="google", client_secret="x" + SECRET) == ["client_secret"]
    assert of(provider="google", client_secret="${env:X}") == ["client_secret"]


def test_secret_and_exchange_service_exclude_each_other(of):
    assert of(client_secret=SECRET, token_exchange_url="https://x.example") == [""]


@pytest.mark.parametrize("scopes", [[], [""], "repo"])
def test_at_least_one_scope(of, scopes):
    assert of(scopes=scopes) == ["scopes"]


def test_flow_and_endpoint_auth_are_known_ones(of):
    assert of(flow="popup") == ["flow"]
    assert of(tokenEndpointAuth="private_key_jwt") == ["tokenEndpointAuth"]


@pytest.mark.parametrize("port", [0, 1023, 65536, 80.5, "8080", True])
def test_redirect_ports_are_free_ones(of, port):
    assert of(redirect_port=port) == ["redirect_port"]


def test_redirect_paths_start_with_a_slash(of):
    assert of(redirect_path="callback") == ["redirect_path"]


def test_a_generic_provider_needs_addresses(of):
    assert of(provider="generic") == [""]
    assert of(provider="generic", authorization_endpoint="https://a.example") == [""]
    assert of(provider="generic", issuer="https://a.example") == []
    both = {"authorization_endpoint": "https://a.example/a", "token_endpoint": "https://a.example/t"}
    assert of(provider="generic", **both) == []


@pytest.mark.parametrize("field", ENDPOINTS)
@pytest.mark.parametrize(
    "url",
    [
        "",
        "acme.example",
        "http://acme.example",
        "ftp://acme.example",
        "https://",
        "https://a.example/\n",
        "https://a.example/ x",
        "https://u:p@a.example",
        "https://u@a.example",
        "https://a.example/#x",
        "https://a.example:port/",
        "http://localhost.evil.example",
    ],
)
def test_endpoints_are_https_and_carry_nothing_more(of, field, url):
    assert of(**{field: url}) == [field]


@pytest.mark.parametrize("field", ENDPOINTS)
@pytest.mark.parametrize("url", ["https://a.example/x?y=1", "http://127.0.0.1:8080/t", "http://localhost/t"])
def test_endpoints_that_are_fine(of, field, url):
    assert of(**{field: url}) == []


@pytest.mark.parametrize("name", ["", "a b", ".a", "a" * 65])
def test_store_as_is_a_secret_name(of, name):
    assert of(store_as=name) == ["store_as"]


def test_posthog_regions(of):
    assert of(provider="posthog", options={"region": "eu"}) == []
    assert of(provider="posthog", options={"region": "de"}) == ["options.region"]


def test_a_microsoft_tenant_is_not_empty(of):
    assert of(provider="microsoft", options={"tenant": "common"}) == []
    assert of(provider="microsoft", options={"tenant": ""}) == ["options.tenant"]


@pytest.mark.parametrize(
    "name",
    ["response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"],
)
def test_parameters_of_the_flow_itself_cannot_be_set(of, name):
    assert of(extra_authorization_params={"prompt": "x", name: "y"}) == [f"extra_authorization_params.{name}"]


def test_a_provider_without_state_needs_a_fixed_port(of):
    assert of(provider="bing-webmaster") == ["redirect_port"]
    assert of(provider="bing-webmaster", redirect_port=8976) == []
