"""One rule for what looks like a secret."""

import json
import re

import pytest
from agent_connector import masking
from agent_connector.masking import fingerprint, is_secret_name, mask, mask_line, matches, printable
from hypothesis import given
from hypothesis import strategies as st

SECRETS = [
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "sk-proj-abcDEF0123456789abcDEF",
    "xoxb-123456789012-abcdefGHIJ",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "d41d8cd98f00b204e9800998ecf8427e",
    "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
    "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
]
ORDINARY = [
    "",
    "npx",
    "-y",
    "@modelcontextprotocol/server-sequential-thinking",
    "agent-connector-mcp==0.1.0",
    "/home/some-user-12345678/projects/AcmeDB2024/node_modules/.bin/server",
    "C:\\Users\\Some User 2024\\AppData\\Roaming\\npm\\acme2server3x4y5z.cmd",
    "https://mcp.acme.example/v1/sse?project=alpha&region=eu",
    "http://127.0.0.1:8080/mcp",
    "${env:ACME_TOKEN}",
    "Bearer ${env:ACME_TOKEN}",
    "Use the acme tools when you are asked about tokens; keep the key points short.",
    "run-the-very-long-command-name-with-many-words",
    "a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p",
    "org.acme.connector.SomeVeryLongJavaClassName",
    "claude-sonnet-4-5-20250929",
    "mcp__acme_db__write|mcp__acme_db__drop",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_strings_of_known_or_random_shape_are_hidden_wherever_they_stand(secret):
    for value in (secret, ["--x", secret], {"x": f"run {secret} now"}, f"https://acme.example/{secret}/x"):
        assert secret not in json.dumps(mask(value))
        assert secret not in json.dumps(fingerprint(value))


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_strings_stay_readable(text):
    assert mask(text) == text
    assert fingerprint([text, {"args": text}]) == [text, {"args": text}]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:hunter2@db.example/x", "https://***@db.example/x"),
        ("https://t0ken@db.example/x", "https://***@db.example/x"),
        ("https://db.example/x?api_key=hunter2&y=1", "https://db.example/x?api_key=***&y=1"),
        ("Authorization: Bearer hunter2", "Authorization: Bearer ***"),
        ("Authorization: hunter2", "Authorization: ***"),
        ("--token=hunter2", "--token=***"),
        ("run --api-key hunter2 --fast", "run --api-key *** --fast"),
        ("env ACME_TOKEN=hunter2 acme serve", "env ACME_TOKEN=*** acme serve"),
        ("X-Api-Key: hunter2", "X-Api-Key: ***"),
        ("ACME_TOKEN=${env:ACME_TOKEN} acme", "ACME_TOKEN=${env:ACME_TOKEN} acme"),
        ("--token=$ACME_TOKEN", "--token=$ACME_TOKEN"),
        ("https://${env:USER}@db.example", "https://${env:USER}@db.example"),
    ],
)
def test_within_a_longer_text_only_the_secret_part_is_hidden(text, shown):
    assert mask(text) == shown


@pytest.mark.parametrize(
    "name",
    ["API_KEY", "apiKey", "ACME_TOKEN", "DB_PASSWORD", "clientSecret", "Authorization", "X-Api-Key", "Cookie", "key"],
)
def test_what_stands_under_a_secret_name_is_hidden(name):
    assert mask({"env": {name: "hunter2"}}) == {"env": {name: "***"}}
    assert mask({name: ["a", {"b": "c"}]}) == {name: ["***", {"b": "***"}]}
    assert mask({name: "${env:X}"}) == {name: "${env:X}"}


@pytest.mark.parametrize(
    "name",
    ["monkey", "keyboard", "tokenizer", "author", "command", "keymap", "bearer_token_env_var", "pattern", "env_key"],
)
def test_names_that_only_resemble_secret_ones_hide_nothing(name):
    assert not is_secret_name(name)


def test_the_argument_after_a_secret_flag_is_hidden():
    assert mask(["--api-key", "hunter2", "--verbose", "yes"]) == ["--api-key", "***", "--verbose", "yes"]


def test_numbers_and_flags_stay_even_under_secret_names():
    assert mask({"max_tokens": 4000, "token": None, "key": True}) == {"max_tokens": 4000, "token": None, "key": True}


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('    "ACME_TOKEN": "hunter2",', '    "ACME_TOKEN": "***",'),
        ('    "ACME_TOKEN": "a\\"b",', '    "ACME_TOKEN": "***",'),
        ('    "ACME_TOKEN": "${env:ACME_TOKEN}",', '    "ACME_TOKEN": "${env:ACME_TOKEN}",'),
        ("api_key = 'hunter2'  # mine", "api_key = '***'  # mine"),
        ('env = { A_TOKEN = "hunter2", REGION = "eu" }', 'env = { A_TOKEN = "***", REGION = "eu" }'),
        ('"args": ["--token=hunter2"]', '"args": ["--token=***"]'),
        ('"args": ["--token", "hunter2", "x"]', '"args": ["--token", "***", "x"]'),
        ("a = { TOKEN_N = 1, REGION = 'eu' }", "a = { TOKEN_N = 1, REGION = 'eu' }"),
        ("  api_key: hunter2", "  api_key: ***"),
        ("  - token: hunter2  ", "  - token: ***  "),
        ("ACME_TOKEN=hunter2", "ACME_TOKEN=***"),
        ("max_tokens = 4000", "max_tokens = 4000"),
        ("token: |", "token: |"),
        ('"command": "npx"', '"command": "npx"'),
        ('bearer_token_env_var = "ACME_TOKEN"', 'bearer_token_env_var = "ACME_TOKEN"'),
    ],
)
def test_in_a_line_of_a_config_file_the_name_before_a_string_counts(line, shown):
    assert mask_line(line) == shown


@pytest.mark.parametrize(
    ("previous", "line", "shown"),
    [
        ('    "--api-key",', '    "hunter2"', '    "***"'),
        ('    "ACME_TOKEN":', '    "hunter2"', '    "***"'),
        ('    "--verbose",', '    "hunter2"', '    "hunter2"'),
        ('    "ACME_TOKEN": "x",', '    "hunter2"', '    "hunter2"'),
        ('    "tokens": [', '    "one"', '    "one"'),
    ],
)
def test_a_string_may_stand_under_a_name_of_the_line_before(previous, line, shown):
    assert mask_line(line, previous) == shown


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(SECRETS + ORDINARY),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["env", "token", "apiKey", "args", "sha256", "x"]) | st.text(), inner)
    ),
    max_leaves=12,
)


@given(json_values)
def test_a_value_matches_its_fingerprint_also_after_json(value):
    assert matches(fingerprint(value), value)
    assert matches(json.loads(json.dumps(fingerprint(value))), value)


@given(json_values)
def test_fingerprints_are_stable(value):
    assert fingerprint(fingerprint(value)) == fingerprint(value)


@given(json_values, json_values)
def test_another_value_does_not_match(one, other):
    if not matches(one, other):
        assert not matches(fingerprint(one), other)


def test_a_changed_secret_is_noticed():
    entry = {"command": "acme", "env": {"ACME_TOKEN": "hunter2"}}
    kept = fingerprint(entry)
    assert "hunter2" not in json.dumps(kept)
    assert matches(kept, entry)
    assert not matches(kept, {"command": "acme", "env": {"ACME_TOKEN": "hunter3"}})
    assert not matches(kept, {"command": "acme"})


def test_meaning_is_compared_not_spelling():
    assert matches({"a": 1, "b": [1.0]}, {"b": [1], "a": 1.0})
    assert not matches({"a": 1}, {"a": True})


_PIECES = re.split(
    r"\|",
    "://|ada:pw|@|?|&|;|=|: |-|--|x-|X-|Bearer |BASIC |Authorization|author\u0130zation|token|ToKen|ap\u0131_key|"
    "\u212aey|\u017fecret|PASSWORD|Credential|sIg|auth|sk-|pk_|rk-|ghp_|gho_|github_pat_|glpat-|npm_|pypi-|xoxb-|AKIA|"
    'AIza|ya29.|hf_|eyJ|.|-----BEGIN |RSA |PRIVATE KEY-----|A1b2C3d4E5f6G7h8I9j0K|x|"| |\n',
)


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_no_pattern_matches_where_it_is_not_tried(text):
    for needles, pattern in masking._SECRET_PARTS:
        if re.search(pattern, text):
            assert any(needle in masking._small(text) for needle in needles)
            assert len(text) >= masking._SHORTEST_PART


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain größer 日本 C:\\x", "plain größer 日本 C:\\x"),
        ("a\x1b[31mred\x07", "a\\x1b[31mred\\x07"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("\udc80", "\\udc80"),
        ("\x9b", "\\x9b"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_instead(text, shown):
    assert printable(text) == shown
