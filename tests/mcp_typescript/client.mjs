// Talks to an MCP server over stdio with the official TypeScript client and prints what it learned as JSON.
//
//   node client.mjs <folder of @modelcontextprotocol/sdk> <tool to call> <server command> [arguments...]

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdk, tool, command, ...args] = process.argv.slice(2);

// The client lives in a cache outside this tree, so it is imported by path and not by name.
const load = (file) => import(pathToFileURL(join(sdk, "dist", "esm", "client", file)).href);
const { Client } = await load("index.js");
const { StdioClientTransport } = await load("stdio.js");

const client = new Client({ name: "typescript-check", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));
try {
  const { tools } = await client.listTools();
  const called = await client.callTool({ name: tool, arguments: {} });
  const server = client.getServerVersion();
  console.log(JSON.stringify({ server, instructions: client.getInstructions(), tools, called }));
} finally {
  await client.close();
}
