"""What public registries need to know, and the package's identity where a definition says it itself."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .fields import Model, Text
from .findings import Finding, Path
from .urls import url_fault


class Author(Model):
    name: Text = ""
    email: Text = ""
    url: Text = ""


class Publish(Model):
    """The author's real upstream server. What a format needs and lacks is said when that format is packaged."""

    registry_namespace: Text = ""
    package_name: Text = ""
    registry_base_url: Text = ""
    author: Author | None = None


class PackageIdentity(Model):
    """Overrides what pyproject.toml or package.json says, or stands in for them."""

    also: ClassVar[Mapping[str, str]] = {"bin": "command", "package_name": "name"}

    name: Text = ""
    mcp_name: Text = ""
    command: Text = ""
    version: Text = ""


def publish_findings(publish: Publish, at: Path) -> Iterator[Finding]:
    if publish.registry_base_url:
        fault = url_fault(publish.registry_base_url)
        if fault:
            yield Finding((*at, "registry_base_url"), fault)
