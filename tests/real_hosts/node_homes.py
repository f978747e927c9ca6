"""Drivers of more hosts from the npm registry: each in its own home, without login, talking to a scripted model."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import host_process
from host_homes import API_KEY, COMMAND_SECONDS, TURN_SECONDS, Home
from host_process import Finished
from hosts_cache import DROID, GEMINI_CLI, KIMI, OPENCLAW, PI, QWEN_CODE, NpmPackage, node_for, require
from model_server import Model


@dataclass
class NodeHost:
    """What these hosts have in common: a command, an environment, files of settings that make them quiet."""

    home: Home
    model: Model
    installation: Path = field(init=False)
    package: ClassVar[NpmPackage]

    def __post_init__(self) -> None:
        self.installation = require(self.package)
        self.prepare()

    def prepare(self) -> None:
        """What a person who signed in has in the home."""

    def variables(self) -> dict[str, str]:
        """What stands in the environment beside the home's own."""
        return {}

    def env(self) -> dict[str, str]:
        return self.home.env(self.installation / "bin", node_for(self.package), **self.variables())

    def run(self, *arguments: str, seconds: float = COMMAND_SECONDS) -> Finished:
        command = [self.package.command, *arguments]
        return host_process.run(command, env=self.env(), cwd=self.home.project, seconds=seconds)

    def write(self, path: str, content: Any) -> None:
        file = self.home.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


class GeminiCli(NodeHost):
    """Gemini CLI in a folder that is trusted."""

    id: ClassVar = "gemini-cli"
    package: ClassVar = GEMINI_CLI

    def prepare(self) -> None:
        quiet = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False},
        }
        self.write(".gemini/settings.json", quiet)
        self.write(".gemini/trustedFolders.json", {str(self.home.project): "TRUST_FOLDER"})

    def variables(self) -> dict[str, str]:
        return {"GEMINI_API_KEY": API_KEY, "GOOGLE_GEMINI_BASE_URL": self.model.base_url}

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"mcp_{server}_{name}"

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn in which every tool is granted."""
        return self.run("-m", "gemini-2.5-flash", "-y", *options, "-p", prompt, seconds=TURN_SECONDS)


class QwenCode(NodeHost):
    """Qwen Code with a model of one's own."""

    id: ClassVar = "qwen-code"
    package: ClassVar = QWEN_CODE

    def prepare(self) -> None:
        quiet = {
            "$version": 4,
            "security": {"auth": {"selectedType": "openai"}},
            "model": {"name": "scripted"},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False},
        }
        self.write(".qwen/settings.json", quiet)

    def variables(self) -> dict[str, str]:
        return {
            "OPENAI_API_KEY": API_KEY,
            "OPENAI_BASE_URL": f"{self.model.base_url}/v1",
            "OPENAI_MODEL": "scripted",
            "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
        }

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"mcp__{server}__{name}"

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn in which every tool is granted."""
        return self.run("-y", *options, "-p", prompt, seconds=TURN_SECONDS)


class Droid(NodeHost):
    """Droid with a model of one's own. Its model must look a server's tools up before it can call them."""

    id: ClassVar = "droid"
    package: ClassVar = DROID

    def prepare(self) -> None:
        model = {
            "model": "scripted",
            "displayName": "Scripted",
            "baseUrl": f"{self.model.base_url}/v1",
            "apiKey": API_KEY,
            "provider": "generic-chat-completion-api",
            "maxOutputTokens": 2048,
        }
        self.write(".factory/settings.json", {"customModels": [model]})

    def variables(self) -> dict[str, str]:
        return {"DROID_DISABLE_AUTO_UPDATE": "true", "FACTORY_API_KEY": f"fk-{API_KEY}"}

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"{server}___{name}"

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn with every tool granted. Its first request does not wait for servers: a nap does."""
        called = dict.fromkeys(re.findall(r"^CALL (\S+___\S+)", prompt, re.MULTILINE))
        search = json.dumps({"query": f"select:{','.join(called)}"})
        nap = {"command": "sleep 5", "summary": "s", "riskLevel": "low", "riskLevelReason": "none", "timeout": 30}
        script = f"CALL Execute {json.dumps(nap)}\nCALL ToolSearch {search}\n{prompt}" if called else prompt
        fixed = ("exec", "-m", "custom:scripted", "--skip-permissions-unsafe")
        return self.run(*fixed, *options, script, seconds=TURN_SECONDS)


class Kimi(NodeHost):
    """Kimi Code CLI with a model of one's own."""

    id: ClassVar = "kimi"
    package: ClassVar = KIMI

    def prepare(self) -> None:
        file = self.home.path / ".kimi-code" / "config.toml"
        file.parent.mkdir()
        file.write_text(
            'default_model = "scripted"\ntelemetry = false\n\n'
            f'[providers.scripted]\ntype = "openai"\nbase_url = "{self.model.base_url}/v1"\napi_key = "{API_KEY}"\n\n'
            '[models.scripted]\nprovider = "scripted"\nmodel = "scripted"\nmax_context_size = 100000\n',
            encoding="utf-8",
        )

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"mcp__{server}__{name}"

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn in which every tool is granted."""
        return self.run(*options, "-p", prompt, seconds=TURN_SECONDS)


class Pi(NodeHost):
    """Pi with a model of one's own."""

    id: ClassVar = "pi"
    package: ClassVar = PI

    def prepare(self) -> None:
        model = {"id": "scripted", "contextWindow": 100_000, "maxTokens": 8000}
        provider = {
            "baseUrl": f"{self.model.base_url}/v1",
            "api": "openai-completions",
            "apiKey": API_KEY,
            "models": [model],
        }
        self.write(".pi/agent/models.json", {"providers": {"lab": provider}})

    def variables(self) -> dict[str, str]:
        return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"mcp__{server.replace('-', '_')}__{name}"

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn; it asks for no consent to tools."""
        return self.run("-p", "--model", "lab/scripted", *options, prompt, seconds=TURN_SECONDS)


class OpenClaw(NodeHost):
    """OpenClaw without its Gateway, with a model of one's own that is shown the tools of servers."""

    id: ClassVar = "openclaw"
    package: ClassVar = OPENCLAW

    def prepare(self) -> None:
        model = {"id": "scripted", "name": "Scripted", "reasoning": False, "input": ["text"]}
        cost = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)
        provider = {
            "baseUrl": f"{self.model.base_url}/v1",
            "apiKey": API_KEY,
            "api": "openai-completions",
            "models": [{**model, "cost": cost, "contextWindow": 100_000, "maxTokens": 8000}],
        }
        self.write(
            ".openclaw/openclaw.json",
            {
                "models": {"mode": "merge", "providers": {"lab": provider}},
                "agents": {"defaults": {"model": {"primary": "lab/scripted"}}},
                "tools": {"toolSearch": False},
            },
        )

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"{server}__{name}"

    def turn(self, prompt: str, *options: str) -> Finished:
        """One turn of its main agent, in a session of its own. The first of a home takes a minute."""
        fixed = ("agent", "--local", "--agent", "main", "--session-id", str(time.time_ns()), "--json")
        # It puts the time in front of the first line, which so is none of the script.
        return self.run(*fixed, *options, "--message", f"Go on.\n{prompt}", seconds=2 * TURN_SECONDS)
