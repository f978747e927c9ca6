// A conversation of the official TypeScript client with a server over stdio; printed is all that it was told, as JSON.
//
//   node typescript_client.mjs <folder of @modelcontextprotocol/sdk> <script> <command> [arguments...]
//
// The script is the one of python_client.py.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdk, script, command, ...args] = process.argv.slice(2);
const load = (...path) => import(pathToFileURL(join(sdk, "dist", "esm", ...path)).href);
const { Client } = await load("client", "index.js");
const { StdioClientTransport } = await load("client", "stdio.js");
const types = await load("types.js");

const told = [];
const besides = [];
const capabilities = { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } };
const client = new Client({ name: "typescript-check", version: "1.0.0" }, { capabilities });
client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => {
  besides.push(["elicit", params]);
  const asked = Object.keys(params.requestedSchema?.properties ?? {});
  return { action: "accept", content: asked.includes("ok") ? { ok: true, why: "tést" } : {} };
});
client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => {
  besides.push(["sample", params]);
  return { role: "assistant", model: "m", content: { type: "text", text: "sampled" } };
});
client.setRequestHandler(types.ListRootsRequestSchema, () => {
  besides.push(["roots"]);
  return { roots: [{ uri: "file:///somewhere", name: "r" }] };
});
client.fallbackNotificationHandler = async (notification) => besides.push(["heard", notification]);

const onprogress = (progress) => besides.push(["progress", progress]);
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const steps = {
  tool: (name, parameters) => client.callTool({ name, arguments: parameters }, undefined, { onprogress }),
  resource: (uri) => client.readResource({ uri }),
  prompt: (name, parameters) => client.getPrompt({ name, arguments: parameters }),
  "broken off": async (name, parameters) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort("enough"), 300);
    await client.callTool({ name, arguments: parameters }, undefined, { signal: stop.signal }).catch(() => null);
    await sleep(200);
  },
  listen: () => client.callTool({ name: "changes", arguments: {} }),
  lists: async () => [
    await client.listTools(),
    await client.listResources(),
    await client.listResourceTemplates(),
    await client.listPrompts(),
  ],
};

await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));
try {
  told.push(["server", client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()]);
  for (const [kind, ...words] of JSON.parse(script)) {
    try {
      told.push([kind, await steps[kind](...words)]);
    } catch (error) {
      told.push(["error", error.code, error.message, error.data]);
    }
  }
} finally {
  await client.close();
}
console.log(JSON.stringify({ told, besides }));
