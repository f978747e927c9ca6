"""Notes for agents: an MCP server, and the command ``acme-notes`` that installs it into every host."""
