/**
 * Texts that were met before. Those that come from a snapshot stay printed in one text until somebody asks for them: a
 * resume that meets no new commit never does.
 */
export class IdSet {
  #printed: string;
  #texts: Set<string> | undefined;

  constructor(printed = "") {
    this.#printed = printed;
  }

  has(text: string): boolean {
    return this.#open().has(text);
  }

  add(text: string): void {
    this.#open().add(text);
  }

  /** One text for all, that the constructor takes. Each ends with a line feed; line feeds in them are escaped. */
  print(): string {
    if (this.#texts === undefined) return this.#printed;
    let printed = "";
    for (const text of this.#texts) printed += `${escaped(text)}\n`;
    return printed;
  }

  #open(): Set<string> {
    if (this.#texts === undefined) {
      const texts = this.#printed.split("\n").slice(0, -1);
      this.#texts = new Set(this.#printed.includes("\\") ? texts.map(unescaped) : texts);
      this.#printed = "";
    }
    return this.#texts;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\\n]/g, (char) => (char === "\n" ? "\\n" : "\\\\"));
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
}
