import type { Output, Style } from "./output.ts";

/** A unified diff, its two lines of names first, in the usual colours. */
export function printUnified(text: string, output: Output): void {
  const lines = text.replace(/\n$/, "").split("\n");
  lines.forEach((line, index) => {
    const style = index < 2 ? "bold" : styles[line[0] ?? ""];
    output.line(style === undefined ? line : { text: line, style });
  });
}

const styles: Readonly<Record<string, Style>> = { "+": "green", "-": "red", "@": "cyan" };
