/** This file has the grammar of a JSON number, byte by byte. */
const zero = 0x30;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;

export type NumberPart = "sign" | "zero" | "whole" | "point" | "fraction" | "exponent" | "exponentSign" | "power";

/** A number may end behind these parts. */
export const endsNumber: ReadonlySet<NumberPart> = new Set(["zero", "whole", "fraction", "power"]);

export function firstPart(byte: number): NumberPart {
  return byte === minus ? "sign" : byte === zero ? "zero" : "whole";
}

/** The result is undefined if the byte is not of the number. */
export function numberPart(part: NumberPart, byte: number): NumberPart | undefined {
  if (isDigit(byte)) return afterDigit(part, byte);
  switch (part) {
    case "zero":
    case "whole":
      return byte === point ? "point" : exponentPart(byte);
    case "fraction":
      return exponentPart(byte);
    case "exponent":
      return byte === plus || byte === minus ? "exponentSign" : undefined;
    case "sign":
    case "point":
    case "exponentSign":
    case "power":
      return undefined;
  }
}

function afterDigit(part: NumberPart, byte: number): NumberPart | undefined {
  switch (part) {
    case "sign":
      return byte === zero ? "zero" : "whole";
    case "zero":
      return undefined;
    case "whole":
      return "whole";
    case "point":
    case "fraction":
      return "fraction";
    case "exponent":
    case "exponentSign":
    case "power":
      return "power";
  }
}

function exponentPart(byte: number): NumberPart | undefined {
  return byte === 0x65 || byte === 0x45 ? "exponent" : undefined;
}

export function isDigit(byte: number): boolean {
  return byte >= zero && byte <= 0x39;
}
