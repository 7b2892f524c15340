/**
 * A text of this length is long. The unit is UTF-16 code units. No budget admits as much, but a value that another runtime
 * wrote may be of any length. It has a file of its own, because the page of the report has no use for what is known of such texts.
 */
export const longTextUnits = 1 << 20;
