/** This file asks those who contribute the sections of a working-memory file, each within its own time. */
import { withoutHalf } from "../options.ts";
import type { JournalView } from "../prompt/journal-view.ts";
import type { MissingSection } from "../prompt/working-memory.ts";
import type { WorkingSection } from "../prompt/working-memory-fit.ts";
import type { Message } from "../prompt/working-memory-messages.ts";

/** This is what a provider gets. */
export interface ProviderInput {
  readonly now: Date;
  readonly utcOffsetHours: number;
  /** The oldest message comes first. */
  readonly messages: readonly Message[];
  readonly journal: JournalView;
}

/** A provider makes one section of a working-memory file. */
export interface Provider {
  /** This is the heading of its section. A provider with the name of a built-in section replaces it. */
  readonly name: string;
  /** Where there is too much for the file, room goes to the highest first. Those built in have 20 to 100. */
  readonly priority: number;
  /** With true, the last lines are kept if not all of them fit. The default is false. */
  readonly shrinks?: boolean;
  /**
   * This gives the text of the section in Markdown. Nothing or "" means that there is none this time. `signal` is aborted when
   * its time is up: what comes later is not waited for.
   */
  run(input: ProviderInput, signal: AbortSignal): Promise<string | undefined> | string | undefined;
}

export interface ProviderTimes {
  /** This is the time for each provider. */
  readonly providerMs: number;
  /** This is the time for all providers together. */
  readonly totalMs: number;
}

export interface Provided {
  readonly sections: readonly WorkingSection[];
  readonly missing: readonly MissingSection[];
}

/** Runs them side by side. One that fails or is too slow costs its own section only. */
export async function runProviders(
  providers: readonly Provider[],
  input: ProviderInput,
  times: ProviderTimes,
): Promise<Provided> {
  const outcomes = await Promise.all(providers.map((provider) => runOne(provider, input, times)));
  const sections: WorkingSection[] = [];
  const missing: MissingSection[] = [];
  for (const [index, { name, priority, shrinks = false }] of providers.entries()) {
    const ended = outcomes[index];
    if (ended === undefined) continue;
    if ("why" in ended) missing.push({ name, why: ended.why });
    else if (ended.text.trim() !== "") sections.push({ name, priority, shrinks, text: ended.text });
  }
  return { sections, missing };
}

/** A timer that is set for longer ends at once. */
export const timerMsMax = 2 ** 31 - 1;

type SectionOrReason = { readonly text: string } | { readonly why: string };

/** All providers begin at the same moment, so that the time of all of them ends for each at once. */
function runOne(
  provider: Provider,
  input: ProviderInput,
  { providerMs, totalMs }: ProviderTimes,
): Promise<SectionOrReason> {
  const controller = new AbortController();
  const ms = Math.min(providerMs, totalMs, timerMsMax);
  return new Promise((resolve) => {
    const end = (ended: SectionOrReason): void => {
      clearTimeout(timer);
      resolve(ended);
    };
    const timer = setTimeout(() => {
      end({ why: `no answer within ${ms / 1000} s` });
      controller.abort();
    }, ms);
    const run = async () => provider.run(input, controller.signal);
    run().then(
      (text) => end(readText(text)),
      (error: unknown) => end({ why: `failed: ${reasonOf(error)}` }),
    );
  });
}

/** A provider is code of others. */
function readText(text: unknown): SectionOrReason {
  if (text === undefined || text === null) return { text: "" };
  return typeof text === "string" ? { text } : { why: `failed: gave a ${typeof text} instead of a text` };
}

const reasonUnitsMax = 80;

function reasonOf(error: unknown): string {
  return withoutHalf((error instanceof Error ? error.message : String(error)).slice(0, reasonUnitsMax));
}
