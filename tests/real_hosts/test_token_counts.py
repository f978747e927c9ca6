"""Our counts are those of another implementation of the same encoding, which never saw our ranks."""

from __future__ import annotations

import json
import random
import subprocess
import uuid
from pathlib import Path

import pytest
from agent_connector.telemetry.tokens import tokens
from hosts_cache import NpmPackage, node, require

pytestmark = pytest.mark.real_host

GPT_TOKENIZER = NpmPackage("gpt-tokenizer", "4.0.0")
COUNT = """
const { countTokens } = require("gpt-tokenizer/encoding/o200k_base");
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => countTokens(text))));
"""
CORE = Path(__file__).parents[2] / "core"


def large_json() -> str:
    chance = random.Random(1)
    rows = [
        {
            "id": str(uuid.UUID(int=chance.getrandbits(128))),
            "n": chance.random(),
            "name": f"user {number}",
            "ok": None,
        }
        for number in range(10_000)
    ]
    text = json.dumps(rows)
    assert len(text) > 1_000_000
    return text


def letters(alphabet: str, count: int) -> str:
    """Not of U+FEFF, nor of characters that are newer than one of the two engines: there they are known to differ."""
    return "".join(random.Random(2).choices(alphabet, k=count))


def texts() -> dict[str, str]:
    return {
        "code": "\n".join(path.read_text(encoding="utf-8") for path in sorted(CORE.rglob("*.py"))),
        "CJK": letters("統計と日本語のテキスト数量模型语言한국어문장。、「」 \n", 60_000),
        "emoji": letters("🙂🎉👍🏽👩\u200d💻🇩🇪❤\ufe0f ab\n", 20_000),
        "large JSON": large_json(),
        "white space": letters(" \t\r\n\u00a0\u2028x/;", 50_000),
        "contractions": letters("aBéI'sSdDmMtTlLvVrReE ", 50_000),
    }


def test_counts_agree_with_gpt_tokenizer() -> None:
    folder = require(GPT_TOKENIZER)
    counted = texts()
    done = subprocess.run(
        [node(), "-e", COUNT],
        input=json.dumps(list(counted.values())),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    theirs = dict(zip(counted, json.loads(done.stdout), strict=True))
    ours = {kind: tokens().measure(text) for kind, text in counted.items()}

    assert ours == {kind: (count, True) for kind, count in theirs.items()}
