/** A program in one file, bundled as the package is. */
import path from "node:path";
import { build, type InputOptions, type OutputChunk, type OutputOptions } from "rolldown";

/** Its text, which stands in this folder but for being a file. */
export interface ProgramText {
  readonly code: string;
  readonly folder: string;
}

interface BundleOptions {
  readonly input?: InputOptions;
  readonly output?: OutputOptions;
}

/** `program`: the path of a file, or a text. Throws what the bundler does. */
export async function bundled(
  program: string | ProgramText,
  { input = {}, output = {} }: BundleOptions = {},
): Promise<OutputChunk> {
  const { file, plugins } = typeof program === "string" ? { file: program, plugins: input.plugins } : virtual(program);
  const made = await build({
    input: file,
    platform: "node",
    logLevel: "silent",
    ...input,
    plugins,
    output: { format: "esm", codeSplitting: false, ...output },
    write: false,
  });
  return made.output[0];
}

function virtual({ code, folder }: ProgramText) {
  const file = path.join(folder, "program.ts");
  const plugin = {
    name: "program text",
    resolveId: (id: string) => (id === file ? id : undefined),
    load: (id: string) => (id === file ? code : undefined),
  };
  return { file, plugins: [plugin] };
}
