import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../src/action/limits.ts";
import { configFromEnvironment, parseConfig } from "../../src/prompt/config.ts";
import { configSchema } from "../../src/prompt/config-schema.ts";

const defaults = {
  enabled: true,
  limits: defaultLimits,
  nudges: {
    nudgeAfterTurns: 0,
    nudgeOnPlanDetected: 0,
    nudgeAfterCompaction: 0,
    nudgeTurnsSinceLastUse: 0,
    coolDownTurns: 5,
    backOff: 1,
  },
  record: false,
  send: "every-message",
  face: "scratchpad",
  maxTokens: 2000,
};

describe("configuration", () => {
  test("has a default for everything", () => {
    expect(parseConfig()).toEqual(defaults);
    expect(parseConfig({ limits: {} })).toEqual(defaults);
    expect(parseConfig("{}")).toEqual(defaults);
    expect(configFromEnvironment({ PATH: "/bin" })).toEqual(defaults);
  });

  test("comes from code or from a file's text", () => {
    const given = {
      enabled: false,
      limits: { notes: 10 },
      nudges: { nudgeAfterTurns: 3 },
      send: "on-change",
      face: "pad",
    };
    const parsed = {
      ...defaults,
      ...given,
      limits: { ...defaultLimits, notes: 10 },
      nudges: { ...defaults.nudges, nudgeAfterTurns: 3 },
    };
    expect(parseConfig(given)).toEqual(parsed);
    expect(parseConfig(JSON.stringify(given))).toEqual(parsed);
  });

  test("comes from the environment", () => {
    const config = configFromEnvironment({
      SESSION_SCRATCHPAD_ENABLED: "false",
      SESSION_SCRATCHPAD_LIMITS_ENTRIES_TOTAL: "100",
      SESSION_SCRATCHPAD_LIMITS_NOTES: "5",
      SESSION_SCRATCHPAD_NUDGES_NUDGE_AFTER_TURNS: "4",
      SESSION_SCRATCHPAD_SEND: "on-change",
      SESSION_SCRATCHPAD_MAX_TOKENS: "9",
      SESSION_SCRATCHPAD_FACE: undefined,
      OTHER: "x",
    });
    expect(config).toEqual({
      ...defaults,
      enabled: false,
      limits: { ...defaultLimits, entriesTotal: 100, notes: 5 },
      nudges: { ...defaults.nudges, nudgeAfterTurns: 4 },
      send: "on-change",
      maxTokens: 9,
    });
  });

  test("reads what older runtimes configure, and nothing else of their file", () => {
    const older = (scratchpad: unknown) => ({
      agents: { defaults: { model: "x", claudeSdk: { scratchpad } } },
      other: 1,
    });
    expect(parseConfig(older({ enabled: false, maxTokens: 500 }))).toEqual({
      ...defaults,
      enabled: false,
      maxTokens: 500,
      face: "single-key",
    });
    expect(parseConfig(older(undefined))).toEqual({ ...defaults, face: "single-key" });
    expect(parseConfig({ agents: null })).toEqual({ ...defaults, face: "single-key" });
    expect(() => parseConfig(older({ maxToken: 1 }))).toThrow(
      "agents.defaults.claudeSdk.scratchpad.maxToken is not a setting: did you mean agents.defaults.claudeSdk.scratchpad.maxTokens?",
    );
  });

  test.each<[unknown, string]>([
    [{ enable: true }, "enable is not a setting: did you mean enabled?"],
    [{ limits: { note: 1 } }, "limits.note is not a setting: did you mean limits.notes?"],
    [{ nudges: { nudgeAfterTurn: 1 } }, "nudges.nudgeAfterTurn is not a setting: did you mean nudges.nudgeAfterTurns?"],
    [{ enabled: "yes" }, 'enabled must be true or false, not "yes"'],
    [{ enabled: null }, "enabled must be true or false, not null"],
    [{ limits: null }, "limits must be an object, not null"],
    [{ limits: [1] }, "limits must be an object, not [1]"],
    [{ limits: { notes: -3 } }, "limits.notes must be a whole number of at least 0, not -3: did you mean 0?"],
    [{ maxTokens: 1999.6 }, "maxTokens must be a whole number of at least 0, not 1999.6: did you mean 2000?"],
    [{ maxTokens: "many" }, 'maxTokens must be a whole number of at least 0, not "many"'],
    [
      { send: "onchange" },
      'send must be one of "every-message", "on-change", not "onchange": did you mean "on-change"?',
    ],
    [
      { face: "notpad" },
      'face must be one of "scratchpad", "single-key", "notepad", "pad", not "notpad": did you mean "notepad"?',
    ],
    [JSON.parse('{"__proto__": {}}'), "__proto__ is not a setting: did you mean"],
    [
      { scratchpad: { nudgeAfterTurn: 3 } },
      "scratchpad.nudgeAfterTurn is not a setting: did you mean scratchpad.nudgeAfterTurns?",
    ],
    [{ "scratchpad.nudgeAfterTurns": -1 }, "scratchpad.nudgeAfterTurns must be a whole number of at least 0, not -1"],
    [{ scratchpad: 3 }, "scratchpad must be an object, not 3"],
    [{ scratchpad: { nudgeAfterTurns: 3 }, nudges: {} }, "leave one of them out"],
    [[], "configuration must be an object, not []"],
    [7, "configuration must be an object, not 7"],
    ["{", "configuration is not JSON: "],
  ])("refuses %j by name", (given, message) => {
    const parse = () => parseConfig(given);
    expect(parse).toThrow(TypeError);
    expect(parse).toThrow(message);
  });

  test.each([
    [
      "SESSION_SCRATCHPAD_ENABLE",
      "1",
      "SESSION_SCRATCHPAD_ENABLE is not a setting: did you mean SESSION_SCRATCHPAD_ENABLED?",
    ],
    ["SESSION_SCRATCHPAD_ENABLED", "1", 'SESSION_SCRATCHPAD_ENABLED must be true or false, not "1"'],
    [
      "SESSION_SCRATCHPAD_LIMITS_NOTES",
      "-1",
      "SESSION_SCRATCHPAD_LIMITS_NOTES must be a whole number of at least 0, not -1: did you mean 0?",
    ],
    ["SESSION_SCRATCHPAD_MAX_TOKENS", "", 'SESSION_SCRATCHPAD_MAX_TOKENS must be a whole number of at least 0, not ""'],
    ["SESSION_SCRATCHPAD_FACE", "x", "SESSION_SCRATCHPAD_FACE must be one of"],
  ])("refuses %s=%s by the variable's name", (name, value, message) => {
    expect(() => configFromEnvironment({ [name]: value })).toThrow(message);
  });

  test.each([
    [{ "scratchpad.nudgeAfterTurns": 3, face: "notepad" }],
    [{ scratchpad: { nudgeAfterTurns: 3 }, face: "notepad" }],
    ['{"scratchpad.nudgeAfterTurns": 3, "face": "notepad"}'],
  ])("takes hints under the names of runtimes with three spaces: %j", (given) => {
    expect(parseConfig(given)).toEqual(parseConfig({ nudges: { nudgeAfterTurns: 3 }, face: "notepad" }));
  });

  test("has a schema whose defaults are those that are used", () => {
    const defaultsOf = (schema: object): unknown =>
      "properties" in schema
        ? Object.fromEntries(
            Object.entries(schema.properties as object).map(([key, inner]) => [key, defaultsOf(inner)]),
          )
        : (schema as { default: unknown }).default;
    expect(defaultsOf(configSchema)).toEqual(defaults);
    expect(configSchema).toMatchObject({
      $schema: expect.stringContaining("2020-12"),
      type: "object",
      additionalProperties: false,
    });
  });
});

test("the text of a file that an editor began with a byte order mark is read", () => {
  expect(parseConfig('\ufeff{"face":"pad"}').face).toBe("pad");
});
