const SAID_BY = "agent-connector";
const COMPACT_FIELDS = ["reason", "customInstructions", "willRetry", "fromExtension"];

/* What matchers look at: the tool's native name, and the bare one of a server's tool. */
function names(tool) {
  const bare = tool.startsWith("mcp__") ? tool.slice(5).split("__").slice(1).join("__") : "";
  return bare ? [tool, bare] : [tool];
}

function picked(event, fields) {
  return Object.fromEntries(fields.filter((field) => event[field] !== undefined).map((field) => [field, event[field]]));
}

/* Events say nothing of the session: the context does. */
function told(hook, ctx, fields) {
  const session = ctx.sessionManager;
  const about = { session_id: session?.getSessionId?.(), session_file: session?.getSessionFile?.() };
  return { hook, ...about, cwd: ctx.cwd, has_ui: ctx.hasUI === true, ...fields };
}

function withText(content, texts) {
  return [...content, ...texts.map((text) => ({ type: "text", text }))];
}

export default function (pi) {
  /* What a model is still to read of a call: it stands behind the call's result. A call that a script of the model's
     makes has no result that the model reads: the script's has. */
  const owed = new Map();
  const owe = (event, ...texts) => {
    const call = event.parentToolCallId ?? event.toolCallId;
    const more = texts.filter(Boolean);
    if (more.length) owed.set(call, [...(owed.get(call) ?? []), ...more]);
  };
  const message = (content) => ({ customType: SAID_BY, content, display: false });
  const say = (text) => text && pi.sendMessage(message(text));
  const ask = (event, ctx, hook, fields, tool) =>
    bridge.ask(event, told(hook, ctx, fields), { tool, cwd: ctx.cwd });
  const on = (hook, wanted, work) => {
    if (wanted.some(bridge.has)) pi.on(hook, bridge.guarded(work, undefined));
  };
  let wentOn = false;

  on("session_start", ["SessionStart"], async (event, ctx) => {
    const reply = await ask("SessionStart", ctx, event.type, picked(event, ["reason", "previousSessionFile"]));
    say(reply?.additionalContext);
  });

  on("input", ["UserPromptSubmit"], async (event, ctx) => {
    const fields = picked(event, ["text", "source", "streamingBehavior"]);
    const reply = await ask("UserPromptSubmit", ctx, event.type, fields);
    if (reply?.decision === "deny") {
      if (ctx.hasUI) ctx.ui.notify(reply.reason, "warning");
      else process.stderr.write(reply.reason + "\n");
      return { action: "handled" };
    }
    say(reply?.additionalContext);
  });

  on("tool_call", ["PreToolUse"], async (event, ctx) => {
    const fields = picked(event, ["toolName", "toolCallId", "parentToolCallId", "input"]);
    const reply = await ask("PreToolUse", ctx, event.type, fields, event.toolName);
    const asked = reply?.decision === "ask" && ctx.hasUI;
    const refused = asked ? !(await ctx.ui.confirm(event.toolName, reply.reason)) : reply?.decision !== undefined;
    if (refused) return { block: true, reason: reply.reason };
    if (reply?.input) replaced(event.input, reply.input);
    owe(event, reply?.additionalContext);
  });

  on("tool_result", ["PreToolUse", "PostToolUse", "PostToolUseFailure"], async (event, ctx) => {
    const fields = picked(event, ["toolName", "toolCallId", "parentToolCallId", "input", "content", "isError"]);
    const name = event.isError ? "PostToolUseFailure" : "PostToolUse";
    const reply = await ask(name, ctx, event.type, fields, event.toolName);
    owe(event, reply?.decision === "deny" && reply.reason, reply?.additionalContext);
    const texts = owed.get(event.toolCallId) ?? [];
    owed.delete(event.toolCallId);
    if (reply?.output !== undefined) return { content: withText([{ type: "text", text: reply.output }], texts) };
    if (texts.length) {
      return { content: withText(event.content, texts), structuredContent: event.structuredContent };
    }
  });

  on("session_before_compact", ["PreCompact"], async (event, ctx) => {
    const reply = await ask("PreCompact", ctx, event.type, picked(event, COMPACT_FIELDS));
    if (reply?.decision === "deny") return { cancel: true };
  });

  on("session_compact", ["PostCompact"], async (event, ctx) => {
    const fields = { ...picked(event, COMPACT_FIELDS), summary: event.compactionEntry?.summary };
    say((await ask("PostCompact", ctx, event.type, fields))?.additionalContext);
  });

  on("agent_before_settle", ["Stop"], async (event, ctx) => {
    const fields = { ...picked(event, ["outcome"]), stop_hook_active: wentOn };
    const reply = await ask("Stop", ctx, event.type, fields);
    wentOn = reply?.decision === "deny";
    const texts = [wentOn && reply.reason, reply?.additionalContext].filter(Boolean);
    const entries = texts.map((text) => ({ type: "custom_message", ...message(text) }));
    if (entries.length) return { entries: [...event.entries, ...entries], continue: event.continue || wentOn };
  });

  on("agent_settled", ["Stop"], () => {
    wentOn = false;
  });

  /* Its answer is whatever the host takes at this event. */
  for (const hook of Object.keys(SETTINGS.events).filter((name) => /^[a-z_]+$/.test(name))) {
    pi.on(
      hook,
      bridge.guarded(async (event, ctx) => (await ask(hook, ctx, hook, event)) ?? undefined, undefined),
    );
  }

  /* A child that is left running would keep the process of a headless run from ending. */
  pi.on(
    "session_shutdown",
    bridge.guarded(async (event, ctx) => {
      await ask("SessionEnd", ctx, event.type, picked(event, ["reason"]));
      await bridge.stop();
    }, undefined),
  );
}
