"""Maps the four folders of the house into one import package, so that a new host folder needs no edit."""

from pathlib import Path

from setuptools import setup

HOUSE = {
    "agent_connector": "core",
    "agent_connector.adapters": "adapters",
    "agent_connector.mcp_server": "mcp_server",
    "agent_connector.prompts": "prompts",
}


def packages() -> list[str]:
    """Every folder with an ``__init__.py``, under its import name."""
    found = []
    for package, folder in HOUSE.items():
        for init in sorted(Path(folder).rglob("__init__.py")):
            found.append(".".join([package, *init.parent.relative_to(folder).parts]))
    return found


setup(packages=packages(), package_dir=HOUSE)
