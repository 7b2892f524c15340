/** Elements are made of text, never of markup: nothing in this folder may parse HTML. */

type Child = Node | string | undefined;

type Attributes = { readonly [name: string]: string | number | boolean | undefined };

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Text for those who do not see the page. */
export function unseen(text: string): HTMLElement {
  return element("span", { class: "unseen" }, text);
}

export function button(label: Node | string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** A link to a part of the page that leaves the address as it is: what stands there names a session and a version. */
export function jump(label: string, id: string, attributes: Attributes = {}): HTMLAnchorElement {
  const made = element("a", { href: `#${id}`, ...attributes }, label);
  made.addEventListener("click", (clicked) => {
    clicked.preventDefault();
    const target = document.getElementById(id);
    target?.scrollIntoView();
    target?.focus({ preventScroll: true });
  });
  return made;
}

/**
 * This is a text of others. Characters that are invisible, or reverse the order of reading, are shown by their number instead (Unicode TR
 * 36, section 2; "Trojan Source").
 */
export function foreign(text: string): (HTMLElement | string)[] {
  const pieces: (HTMLElement | string)[] = [];
  let shown = 0;
  for (const match of text.matchAll(deceptive)) {
    if (match.index > shown) pieces.push(text.slice(shown, match.index));
    pieces.push(codePoint(match[0]));
    shown = match.index + match[0].length;
  }
  if (shown < text.length) pieces.push(text.slice(shown));
  return pieces;
}

const deceptive =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

function codePoint(character: string): HTMLElement {
  const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return element("span", { class: "code-point", title: `hidden character U+${number}` }, `U+${number}`);
}

/** Puts `wanted` in place; what already stands where it should is not touched, and keeps focus and scroll position. */
export function putChildren(parent: HTMLElement, wanted: readonly HTMLElement[]): void {
  let next = parent.firstElementChild;
  for (const child of wanted) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
  while (next !== null) {
    const gone = next;
    next = next.nextElementSibling;
    gone.remove();
  }
}

/** The result is the beginning of a text, on one line. */
export function excerpt(text: string, unitsMax = 120): string {
  const line = text
    .slice(0, unitsMax * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut = line.length > unitsMax || text.length > unitsMax * 2;
  return cut ? `${[...line.slice(0, unitsMax)].join("").replace(/[\ud800-\udbff]$/, "")}…` : line;
}

/** A number and what is counted, as people write them. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A slider moves faster than a page can be painted. */
export function oncePerFrame(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}
