/** A text is not of its kind, or has no place in a scratchpad. */
export class MemoryMismatch extends Error {}
