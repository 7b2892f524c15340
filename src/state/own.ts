/** The result is the value of a key of the record itself: `constructor` is not an entry until somebody writes one. */
export function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
