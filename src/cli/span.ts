/** The pieces that lines of the output are made of. */

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** A span is a piece of a line, either plain or in a style. Control characters in it are shown, never sent. */
export type Span = string | { readonly text: string; readonly style: Style; readonly isMarked?: boolean };

export function textOf(span: Span): string {
  return typeof span === "string" ? span : span.text;
}

export function restyled(span: Span, text: string): Span {
  return typeof span === "string" ? text : { text, style: span.style };
}
