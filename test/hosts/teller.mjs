// The voices of a session: user, assistant, tools, and an older scratchpad runtime that knows no events.
const models = {
  sonnet: { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" },
  gpt: { api: "openai-responses", provider: "openai", model: "gpt-5.1-codex" },
};

/** @param session the client's own SessionManager; @param clock of frozen.mjs */
export function createTeller(session, clock) {
  let voice = models.sonnet;
  let callCount = 0;
  const pad = { notes: "", plan: "", refs: [] };

  const append = (message, seconds) => {
    clock.pass(seconds);
    return session.appendMessage({ ...message, timestamp: Date.now() });
  };

  const speak = (content, stopReason) => {
    const output = Math.ceil(JSON.stringify(content).length / 4);
    const usage = { input: 1200, output, cacheRead: 20_000, cacheWrite: 900, totalTokens: 22_100 + output };
    const cost = { input: 0.0036, output: output * 0.000015, cacheRead: 0.006, cacheWrite: 0.003375 };
    const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
    return append(
      { role: "assistant", content, ...voice, usage: { ...usage, cost: { ...cost, total } }, stopReason },
      4.25,
    );
  };

  const answerOf = (id, toolName, text, isError) =>
    append({ role: "toolResult", toolCallId: id, toolName, content: [{ type: "text", text }], isError }, 0.75);

  const call = (text, name, args, result, isError = false) => {
    callCount += 1;
    const id = `toolu_01AcmeAuth${String(callCount).padStart(4, "0")}`;
    speak(
      [
        { type: "text", text },
        { type: "toolCall", id, name, arguments: args },
      ],
      "toolUse",
    );
    return answerOf(id, name, result, isError);
  };

  return {
    instruct: (content) => append({ role: "system", content }, 0),
    user: (text) => append({ role: "user", content: [{ type: "text", text }] }, 95),
    say: (text) => speak([{ type: "text", text }], "stop"),
    read: (text, path, result) => call(text, "read", { path }, result),
    edit: (text, path, result) => call(text, "edit", { path }, result),
    bash: (text, command, result, isError) => call(text, "bash", { command }, result, isError),

    /** The oldest runtime: one space under one key. */
    scratchpad(text, content) {
      call(text, "session.scratchpad", { content, mode: "replace" }, `Scratchpad saved (${content.length} chars).`);
      session.appendCustomEntry("openclaw:scratchpad", content);
    },
    /** The runtime after it: three keys, each with the whole value. */
    setNotes(text, content) {
      call(
        text,
        "session.scratchpad",
        { action: "set_notes", content },
        `notes set: ${content.length}/4000 chars used`,
      );
      pad.notes = content;
      session.appendCustomEntry("openclaw:scratchpad:notes", pad.notes);
    },
    appendNotes(text, content) {
      pad.notes = pad.notes ? `${pad.notes}\n${content}` : content;
      const answer = `notes appended: ${pad.notes.length}/4000 chars used`;
      call(text, "session.scratchpad", { action: "append_notes", content }, answer);
      session.appendCustomEntry("openclaw:scratchpad:notes", pad.notes);
    },
    setPlan(text, content) {
      call(text, "session.scratchpad", { action: "set_plan", content }, `plan set: ${content.length}/2000 chars used`);
      pad.plan = content;
      session.appendCustomEntry("openclaw:scratchpad:plan", pad.plan);
    },
    setRefs(text, items) {
      call(text, "session.scratchpad", { action: "refs.set", items }, `refs set: ${items.length}/50 items`);
      pad.refs = [...items];
      session.appendCustomEntry("openclaw:scratchpad:refs", [...pad.refs]);
    },
    addRef(text, ref) {
      pad.refs = [...pad.refs, ref];
      call(text, "session.scratchpad", { action: "refs.add", ref }, `ref added: ${pad.refs.length}/50 items`);
      session.appendCustomEntry("openclaw:scratchpad:refs", [...pad.refs]);
    },
    /** What the older runtime does when the conversation was rewound: it reads the branch again. */
    rewind(notes, plan, refs) {
      Object.assign(pad, { notes, plan, refs: [...refs] });
    },
    remember: () => ({ ...pad, refs: [...pad.refs] }),
    changeModel(name) {
      clock.pass(12);
      voice = models[name];
      session.appendModelChange(voice.provider, voice.model);
    },
  };
}
