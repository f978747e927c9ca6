/* OpenClaw calls register, which must not wait, several times in one process: what is known stands out here. */

const ID = "agent-connector-" + ABOUT.connector;
const KEPT = 500;
const LONGEST_MS = 600000;
const MARGIN_MS = 2000;

const folders = new Map();
const sessions = new Map();
const prompts = new Map();
const sentBack = new Set();

/* What matchers look at: a server's tool is called server__tool. */
function names(tool) {
  const end = tool.indexOf("__");
  return end > 0 && end + 2 < tool.length ? [tool, tool.slice(end + 2)] : [tool];
}

/* A gateway runs for weeks: what was kept for what is long over is let go of. */
function keep(kept, key, value) {
  kept.set(key, value);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return value;
}

/* Not every event says in which folder its agent works. */
function folderOf(event, ctx) {
  const said = ctx?.workspaceDir ?? event?.cwd;
  const session = ctx?.sessionKey ?? event?.sessionKey;
  if (said && session) keep(folders, session, said);
  return said ?? folders.get(session) ?? "";
}

function ask(event, hook, data, ctx, more = {}) {
  const cwd = folderOf(data, ctx);
  const session_id = data?.sessionId ?? ctx?.sessionId ?? ctx?.sessionKey ?? ctx?.requesterSessionKey ?? "";
  const about = { session_id, agent: ctx?.agentId, trigger: ctx?.trigger, ...(cwd ? { cwd } : {}) };
  return bridge.ask(event, { hook, ...data, ...about, ...more }, { tool: data?.toolName ?? "", cwd });
}

/* Told by the gateway, else found out with the first prompt. */
function begun(event, ctx, source, hook) {
  const session = event.sessionId ?? ctx?.sessionId;
  return sessions.get(session) ?? keep(sessions, session, ask("SessionStart", hook, {}, ctx, { session_id: session, source }));
}

/* A prompt is built anew where a turn is sent back; it was asked about. What no person sent is no prompt here. */
async function submitted(event, ctx) {
  if (!bridge.has("UserPromptSubmit") || (ctx?.trigger ?? "user") !== "user") return null;
  const run = ctx?.runId ?? ctx?.sessionKey;
  return (
    prompts.get(run) ??
    keep(prompts, run, ask("UserPromptSubmit", "before_prompt_build", { prompt: event.prompt, runId: ctx?.runId }, ctx))
  );
}

function register(api) {
  /* Its own limit comes last: a gate that takes too long for the host forbids what it was asked about. */
  const on = (hook, wanted, work) => {
    const limits = wanted.filter(bridge.has).map((event) => SETTINGS.events[event]);
    if (!limits.length) return;
    const timeoutMs = Math.min(Math.max(...limits) + MARGIN_MS, LONGEST_MS);
    api.on(hook, bridge.guarded(work, undefined), { timeoutMs });
  };

  on("session_start", ["SessionStart"], async (event, ctx) => {
    await begun(event, ctx, event.resumedFrom ? "resume" : "startup", "session_start");
  });

  on("session_end", ["SessionEnd"], async (event, ctx) => {
    sessions.delete(event.sessionId ?? ctx?.sessionId);
    await ask("SessionEnd", "session_end", event, ctx);
  });

  on("before_prompt_build", ["SessionStart", "UserPromptSubmit"], async (event, ctx) => {
    const source = event.messages?.length ? "resume" : "startup";
    const start = bridge.has("SessionStart") && (await begun({}, ctx, source, "before_prompt_build"));
    const prompt = await submitted(event, ctx);
    const context = {};
    if (start?.additionalContext) context.appendSystemContext = start.additionalContext;
    if (prompt?.additionalContext) context.prependContext = prompt.additionalContext;
    return context;
  });

  on("before_agent_run", ["UserPromptSubmit"], async (event, ctx) => {
    const reply = await submitted(event, ctx);
    if (reply?.decision === "deny") return { outcome: "block", reason: reply.reason, message: reply.reason };
  });

  on("before_tool_call", ["PreToolUse"], async (event, ctx) => {
    const reply = await ask("PreToolUse", "before_tool_call", event, ctx);
    if (reply?.decision === "deny") return { block: true, blockReason: reply.reason };
    if (reply?.decision === "ask") {
      return { requireApproval: { title: event.toolName, description: reply.reason, severity: "warning" } };
    }
    if (reply?.input) return { params: reply.input };
  });

  on("after_tool_call", ["PostToolUse", "PostToolUseFailure"], async (event, ctx) => {
    await ask(event.error ? "PostToolUseFailure" : "PostToolUse", "after_tool_call", event, ctx);
  });

  on("before_agent_finalize", ["Stop"], async (event, ctx) => {
    const run = event.runId ?? ctx?.runId;
    const { messages, ...told } = event;
    const reply = await ask("Stop", "before_agent_finalize", told, ctx, { stopHookActive: sentBack.has(run) });
    if (!reply?.additionalContext) return;
    sentBack.add(run);
    if (sentBack.size > KEPT) sentBack.delete(sentBack.values().next().value);
    return { action: "revise", reason: reply.additionalContext };
  });

  for (const [hook, name] of [
    ["before_compaction", "PreCompact"],
    ["after_compaction", "PostCompact"],
    ["subagent_spawned", "SubagentStart"],
    ["subagent_ended", "SubagentStop"],
  ]) {
    on(hook, [name], async ({ messages, ...event }, ctx) => {
      await ask(name, hook, event, ctx);
    });
  }

  /* Its answer is whatever the host takes at this event. */
  for (const hook of Object.keys(SETTINGS.events).filter((name) => /^[a-z_]+$/.test(name))) {
    on(hook, [hook], async (event, ctx) => (await ask(hook, hook, event, ctx)) ?? undefined);
  }

  api.on("gateway_stop", bridge.guarded(bridge.stop, undefined));
}

export default {
  id: ID,
  name: ID,
  description: "Hooks of " + ABOUT.connector,
  configSchema: { type: "object", additionalProperties: false },
  register,
};
