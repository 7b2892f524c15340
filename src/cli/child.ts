import { withoutPassword } from "../errors.ts";
import type { Journal } from "../journal/public.ts";
import type { Options } from "./options.ts";
import type { Output } from "./output.ts";

/** Says what a new child session begins with, and closes it. */
export async function reportChild(child: Journal, target: string, options: Options, output: Output): Promise<void> {
  try {
    const moment = await child.at("head");
    if (options.flag("json")) output.json(moment);
    else output.line(`${withoutPassword(target)} begins at v${moment.version}`);
  } finally {
    await child.close();
  }
}
