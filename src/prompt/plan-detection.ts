/** Does a text lay out a plan? Read line by line with patterns that cannot backtrack far: time grows with the text. */

/** Only the beginning of a longer text is looked at. The unit is UTF-16 code units. */
export const planTextUnitsMax = 65_536;

/** At least so many items of one kind make a plan. */
const itemsMin = 3;

const numberedItem = /^[ \t>*_#+-]{0,16}\d{1,3}[.)][*_]{0,3}[ \t]{1,8}[^ \t]/;
const taskBox = /^[ \t>]{0,16}(?:[-*+]|\d{1,3}[.)])[ \t]{1,8}\[[ xX]\]/;
const namedStep = /\b(?:step|phase|stage)[ \t]{1,8}\d/gi;

/** It is true for three numbered items, three task boxes, or three of "Step N", "Phase N" and "Stage N" together. */
export function detectsPlan(text: string): boolean {
  const counts = { numbered: 0, boxes: 0, steps: 0 };
  for (const line of text.slice(0, planTextUnitsMax).split("\n")) {
    if (numberedItem.test(line)) counts.numbered += 1;
    if (taskBox.test(line)) counts.boxes += 1;
    counts.steps += line.match(namedStep)?.length ?? 0;
    if (Object.values(counts).some((count) => count >= itemsMin)) return true;
  }
  return false;
}
