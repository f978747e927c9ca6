import { spawn as startChild } from "node:child_process";
import { homedir as homeFolder } from "node:os";
import { join as joinPath } from "node:path";

const ABOUT = "@about@";
const SETTINGS = "@settings@";

/* Asks the connector about events. An exception here would block a call of the host's: whatever goes wrong, the
   answer is "no opinion", unless the definition itself forbids the call without any code. */
const bridge = (() => {
  const RETRIES = 1;
  const DEATHS = 3;
  const PAUSE_MS = 10000;
  const DRAIN_MS = 200;
  const FAREWELL_MS = 2000;
  const LONGEST_MS = 2147483647;

  /* A host may load and register this module several times, also from several files: one child for all of them. */
  const key = Symbol.for(["agent-connector", "bridge", 1, ABOUT.host, ABOUT.connector].join(" "));
  const state = (globalThis[key] ??= { child: null, last: 0, waiting: new Map(), deaths: 0, pausedUntil: 0, userWide: false });
  if (ABOUT.scope !== "project") state.userWide = true;

  const refusals = new WeakSet();

  /* In a project that has a copy of its own the one of the user's answers, else the connector would be asked twice. */
  const answersHere = () => ABOUT.scope !== "project" || !state.userWide;

  const has = (event) => Object.hasOwn(SETTINGS.events, event);

  async function ask(event, payload, { tool = "", cwd = "", awaited = true } = {}) {
    if (!has(event) || !answersHere()) return null;
    let reply;
    try {
      reply = await answerOf(event, payload, cwd, awaited);
    } catch {
      reply = undefined;
    }
    return reply === undefined ? heldReply(event, tool) : reply;
  }

  /* Nobody waits: a host that has nothing else to do may end, and the child hears of it all the same. */
  function tell(event, payload, options) {
    void ask(event, payload, { ...options, awaited: false });
  }

  /* --- what holds without the child --- */

  function heldReply(event, tool) {
    try {
      const seen = tool ? names(tool) : [];
      const fitting = (SETTINGS.statics[event] ?? []).filter((held) => fits(held.match, seen));
      return (fitting.find((held) => held.reply.decision === "deny") ?? fitting[0])?.reply ?? null;
    } catch {
      return null;
    }
  }

  function fits(match, seen) {
    if (match === null) return true;
    if (Object.keys(match).length === 1) {
      const expression = new RegExp(match.regex);
      return seen.some((name) => expression.test(name));
    }
    const { any = [], prefix = [], suffix = [], exact = [] } = match;
    return seen.some(
      (name) =>
        exact.includes(name) ||
        any.some((text) => name.includes(text)) ||
        prefix.some((text) => name.startsWith(text)) ||
        suffix.some((text) => name.endsWith(text)),
    );
  }

  /* --- the child --- */

  function answerOf(event, payload, cwd, awaited) {
    const id = ++state.last;
    const head = JSON.stringify({ id, event, cwd });
    const line = head.slice(0, -1) + ',"payload":' + jsonOf(payload) + "}\n";
    const request = { id, line, tries: 0, child: null, heard: 0 };
    request.answered = new Promise((resolve) => (request.resolve = resolve));
    /* Everything else is unref'd: the event loop lives as long as somebody waits for an answer, and no longer. */
    request.timer = setTimeout(() => giveUp(request), Math.min(SETTINGS.events[event], LONGEST_MS));
    if (!awaited) request.timer.unref?.();
    state.waiting.set(id, request);
    send(request);
    return request.answered;
  }

  function settle(request, reply) {
    if (!state.waiting.delete(request.id)) return;
    clearTimeout(request.timer);
    request.resolve(reply);
  }

  function giveUp(request) {
    settle(request, undefined);
    /* It has its own limits, which come first: one that says nothing at all for so long does not work any more. */
    if (request.child && request.child === state.child && request.child.heard === request.heard) {
      request.child.process.kill("SIGKILL");
    }
  }

  function send(request) {
    const child = state.child ?? started();
    if (!child) return settle(request, undefined);
    request.child = child;
    request.heard = child.heard;
    try {
      child.process.stdin.write(request.line);
    } catch {
      ended(child);
    }
  }

  function started() {
    if (Date.now() < state.pausedUntil) return null;
    let running;
    try {
      running = startChild(...command());
    } catch {
      died();
      return null;
    }
    const child = { process: running, heard: 0, rest: [] };
    state.child = child;
    running.on("error", () => ended(child));
    running.on("close", () => ended(child));
    running.on("exit", () => setTimeout(() => ended(child), DRAIN_MS).unref?.());
    running.stdin.on("error", () => {});
    running.stdout.on("error", () => {});
    running.stdout.setEncoding("utf8");
    running.stdout.on("data", (text) => hear(child, text));
    for (const part of [running, running.stdin, running.stdout]) part.unref?.();
    return child;
  }

  function command() {
    const windows = process.platform === "win32";
    const root = process.env.AGENT_CONNECTOR_DATA_DIR || joinPath(homeFolder(), ".agent-connector");
    const launcher = SETTINGS.launcher || joinPath(root, "bin", windows ? "agent-connector.cmd" : "agent-connector");
    const words = ["hook", ABOUT.host, "--stream", "--connector", ABOUT.connector];
    const options = { stdio: ["pipe", "pipe", "ignore"], windowsHide: true };
    return windows
      ? [['"' + launcher + '"', ...words].join(" "), [], { ...options, shell: true }]
      : [launcher, words, options];
  }

  function died() {
    state.deaths += 1;
    if (state.deaths >= DEATHS) state.pausedUntil = Date.now() + PAUSE_MS;
  }

  /* What it did not answer is asked once more of another child. */
  function ended(child) {
    if (child.ended) return;
    child.ended = true;
    if (state.child === child) state.child = null;
    if (child.heard) state.deaths = 0;
    else died();
    for (const request of [...state.waiting.values()]) {
      if (request.child !== child) continue;
      if (!child.stopped && request.tries++ < RETRIES) send(request);
      else settle(request, undefined);
    }
  }

  function hear(child, text) {
    const lines = text.split("\n");
    child.rest.push(lines[0]);
    if (lines.length === 1) return;
    lines[0] = child.rest.join("");
    child.rest = [lines.pop()];
    for (const line of lines) {
      child.heard += 1;
      let answer;
      try {
        answer = JSON.parse(line);
      } catch {
        continue;
      }
      const request = state.waiting.get(answer?.id);
      if (request && request.child === child) settle(request, "reply" in answer ? answer.reply : undefined);
    }
  }

  /* Ends the child behind what is under way, which it finishes also when nobody waits for it any more. */
  async function stop() {
    try {
      const child = state.child;
      if (!child) return;
      const underWay = [...state.waiting.values()].map((request) => request.answered);
      let timer;
      const late = new Promise((resolve) => (timer = setTimeout(resolve, FAREWELL_MS)));
      await Promise.race([Promise.all(underWay), late]);
      clearTimeout(timer);
      if (state.child === child) state.child = null;
      child.stopped = true;
      child.heard ||= 1;
      child.process.stdin.end();
      const longest = Math.min(Math.max(...Object.values(SETTINGS.events)), LONGEST_MS);
      setTimeout(() => child.ended || child.process.kill(), longest).unref?.();
    } catch {
      /* it ends with the host */
    }
  }

  /* --- for the shell --- */

  function refusal(reason) {
    const error = new Error(reason);
    refusals.add(error);
    return error;
  }

  /* A function for the host: it throws what it was told to refuse, and nothing else. */
  function guarded(work, otherwise) {
    return async (...given) => {
      try {
        return await work(...given);
      } catch (fault) {
        if (refusals.has(fault)) throw fault;
        return otherwise;
      }
    };
  }

  return { has, ask, tell, stop, refusal, guarded };
})();

/* Plain data of whatever a host hands over: functions and what contains itself are left out. */
function jsonOf(value) {
  try {
    return JSON.stringify(value);
  } catch {
    const above = [];
    return JSON.stringify(value, function (_key, item) {
      if (typeof item === "bigint") return String(item);
      if (typeof item !== "object" || item === null) return item;
      while (above.length && above[above.length - 1] !== this) above.pop();
      if (above.includes(item)) return undefined;
      above.push(item);
      return item;
    });
  }
}

/* Makes an object that the host holds on to equal to another one. */
function replaced(target, source) {
  for (const name of Object.keys(target)) if (!Object.hasOwn(source, name)) delete target[name];
  return Object.assign(target, source);
}
