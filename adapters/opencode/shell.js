/* OpenCode: hooks are functions of (input, output) that change output in place; what they throw refuses the call. */

function names(tool) {
  const end = tool.indexOf("_");
  return end > 0 && end + 1 < tool.length ? [tool, tool.slice(end + 1)] : [tool];
}

const KEPT = 500;

export default async function agentConnector(given) {
  const directory = given?.directory ?? "";
  const hooks = {};
  const sessions = new Map();
  const parents = new Map();
  const agents = new Map();
  const calls = new Map();
  const failed = new Set();
  const forResults = new Map();

  const about = (hook, more) => ({ hook, ...more, directory });
  const ask = (event, payload, tool) => bridge.ask(event, payload, { tool, cwd: directory });
  const tell = (event, payload) => bridge.tell(event, payload, { cwd: directory });
  const anyOf = (...events) => events.some(bridge.has);

  /* A host that runs for weeks: what was kept for calls long gone is let go of. */
  const keep = (kept, key, value) => {
    kept.set(key, value);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  };

  /* The context of a session's start, asked for once. */
  function begun(session, source) {
    if (!session || parents.has(session)) return "";
    if (!sessions.has(session)) {
      const told = ask("SessionStart", about("session.created", { session, source }));
      sessions.set(session, told.then((reply) => reply?.additionalContext ?? ""));
    }
    return sessions.get(session);
  }

  function over(session, reason) {
    return sessions.delete(session) ? ask("SessionEnd", about("dispose", { session, reason })) : null;
  }

  const heard = {
    "session.created": ({ info }, event) => {
      if (!info?.parentID) return void begun(info?.id, "startup");
      parents.set(info.id, info.parentID);
      agents.set(info.id, info.agent ?? info.title);
      tell("SubagentStart", about("event", { emitted: event, session: info.id, parent: info.parentID, agent: agents.get(info.id) }));
    },
    "session.idle": ({ sessionID }, event) => {
      if (!parents.has(sessionID)) return tell("Stop", about("event", { emitted: event, stop_hook_active: false }));
      const parent = parents.get(sessionID);
      tell("SubagentStop", about("event", { emitted: event, session: sessionID, parent, agent: agents.get(sessionID) }));
    },
    "session.deleted": ({ info, sessionID }) => void over(info?.id ?? sessionID, "deleted"),
    "session.compacted": (_properties, event) => tell("PostCompact", about("event", { emitted: event })),
    "permission.asked": ({ tool }, event) => {
      tell("PermissionRequest", about("event", { emitted: event, call: calls.get(tool?.callID) }));
    },
    "message.part.updated": ({ part }, event) => {
      if (part?.type !== "tool" || part.state?.status !== "error" || failed.has(part.callID)) return;
      failed.add(part.callID);
      if (failed.size > KEPT) failed.delete(failed.values().next().value);
      tell("PostToolUseFailure", about("event", { emitted: event }));
    },
  };

  hooks.event = bridge.guarded(async ({ event }) => {
    heard[event.type]?.(event.properties ?? {}, event);
    if (bridge.has(event.type)) tell(event.type, about("event", { emitted: event }));
  });

  hooks.dispose = bridge.guarded(async () => {
    await Promise.all([...sessions.keys()].map((session) => over(session, "exit")));
    await bridge.stop();
  });

  if (anyOf("SessionStart", "SessionEnd", "UserPromptSubmit")) {
    hooks["chat.message"] = bridge.guarded(async (input, output) => {
      if (parents.has(input.sessionID)) return;
      void begun(input.sessionID, "resume");
      const reply = await ask("UserPromptSubmit", about("chat.message", { input, output }));
      if (reply?.decision === "deny") throw bridge.refusal(reply.reason);
      if (reply?.additionalContext) output.parts.push(textPart(output.message, reply.additionalContext));
    });
  }

  if (bridge.has("SessionStart")) {
    hooks["experimental.chat.system.transform"] = bridge.guarded(async (input, output) => {
      const context = await begun(input.sessionID, "resume");
      if (context) output.system.push(context);
    });
  }

  if (anyOf("PreToolUse", "PermissionRequest")) {
    hooks["tool.execute.before"] = bridge.guarded(async (input, output) => {
      if (bridge.has("PermissionRequest")) keep(calls, input.callID, { tool: input.tool, args: output.args });
      const reply = await ask("PreToolUse", about("tool.execute.before", { input, output }), input.tool);
      if (reply?.decision === "deny") throw bridge.refusal(reply.reason);
      if (reply?.input) replaced(output.args, reply.input);
      if (reply?.additionalContext) keep(forResults, input.callID, reply.additionalContext);
    });
  }

  if (anyOf("PreToolUse", "PostToolUse")) {
    hooks["tool.execute.after"] = bridge.guarded(async (input, output) => {
      const before = forResults.get(input.callID);
      forResults.delete(input.callID);
      const reply = await ask("PostToolUse", about("tool.execute.after", { input, output }), input.tool);
      if (typeof reply?.output === "string") say(output, reply.output);
      for (const more of [before, reply?.decision === "deny" && reply.reason, reply?.additionalContext]) {
        if (more) add(output, more);
      }
    });
  }

  if (bridge.has("PreCompact")) {
    hooks["experimental.session.compacting"] = bridge.guarded(async (input, output) => {
      const reply = await ask("PreCompact", about("experimental.session.compacting", { input, output }));
      if (reply?.additionalContext) output.context.push(reply.additionalContext);
    });
  }

  /* Native hooks have OpenCode's own names, which begin with small letters; what they answer is put into output. */
  for (const name of Object.keys(SETTINGS.events).filter((event) => /^[a-z]/.test(event))) {
    const first = hooks[name];
    hooks[name] = async (input, output) => {
      await first?.(input, output);
      await bridge.guarded(async () => merge(output ?? input, await ask(name, about(name, { input, output }))))();
    };
  }
  return hooks;
}

function textPart(message, text) {
  const id = "prt_" + Date.now().toString(16) + Math.random().toString(36).slice(2, 14);
  return { id, sessionID: message.sessionID, messageID: message.id, type: "text", text, synthetic: true };
}

/* A server's result has content, any other tool's is text. */
function say(output, text) {
  if (!Array.isArray(output.content)) return void (output.output = text);
  output.content.splice(0, output.content.length, { type: "text", text });
  delete output.structuredContent;
}

function add(output, text) {
  if (Array.isArray(output.content)) output.content.push({ type: "text", text });
  else output.output = [output.output, text].filter(Boolean).join("\n\n");
}

function merge(target, changes) {
  if (typeof changes !== "object" || changes === null) return;
  for (const [name, value] of Object.entries(changes)) {
    const inner = target[name];
    const both = [inner, value].every((part) => typeof part === "object" && part !== null && !Array.isArray(part));
    if (both) merge(inner, value);
    else if (name !== "__proto__") target[name] = value;
  }
}
