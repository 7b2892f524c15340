/** A session's id as others gave it: any text. How it stands in an address, and where it can be kept. */
import { requireOption } from "../options.ts";

/** In an address `#` ends what comes before the id, and `%` begins what stands for a character. The rest is `\p{Cc}`, which takes long to look up. */
const escaped = /[%#\u0000-\u001f\u007f-\u009f]/g;

/** The result is what `idOfAddress` reads. */
export function idInAddress(session: string): string {
  return session.replace(escaped, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** What stands there for no such character is left as it is: most ids need no escapes. */
export function idOfAddress(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (whole, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return character.search(escaped) === 0 ? character : whole;
  });
}

/** Databases end a text at a NUL, and brokers and databases keep UTF-8, which has no half characters. */
export function isKeepable(session: string): boolean {
  return session !== "" && !session.includes("\0") && session.isWellFormed();
}

/** The session is kept in a database or on a broker. A wrong id throws a TypeError that names the option. */
export function keptId(value: unknown, name: string): string {
  const isRight = typeof value === "string" && isKeepable(value);
  return requireOption(isRight, value, name, "the id of a session, not empty, without NUL and half characters");
}
