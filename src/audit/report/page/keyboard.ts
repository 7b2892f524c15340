/** This file provides keys for everything. People who dictate can switch single letters off (WCAG 2.2, 2.1.4). */
import { button, element } from "./dom.ts";
import type { Search } from "./search.ts";
import type { Steps } from "./travel-bar.ts";

const help: readonly (readonly [string, string])[] = [
  ["Left, Right", "version before, next version"],
  ["Shift + Left, Right", "turn before, next turn"],
  ["j, k", "next version, version before"],
  ["Home, End", "initial state, newest version"],
  ["Up, Down", "in a text: who wrote the line above, below"],
  ["/", "search"],
  ["n, p", "next and previous event found"],
  ["Esc", "leave the search field; once more: end the search"],
  ["?", "this help"],
];

export function keyboard(steps: Steps, search: Search, signal: AbortSignal): HTMLElement {
  const letters = element("input", { type: "checkbox", checked: true });
  const dialog = element(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    element("h2", { id: "help-title" }, "Keyboard"),
    element(
      "dl",
      {},
      ...help.flatMap(([keys, does]) => [element("dt", {}, element("kbd", {}, keys)), element("dd", {}, does)]),
    ),
    element("p", {}, element("label", {}, letters, " Single-character keys")),
    button("Close", () => dialog.close()),
  );
  addEventListener(
    "keydown",
    (pressed) => {
      if (dialog.open || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
      // Another search field than that of the history is cleared by the browser.
      const isElsewhere = isSearchField(pressed.target) && !search.box.contains(pressed.target);
      if (isElsewhere) return;
      const act = pressed.key === "Escape" ? search.leave : actionOf(pressed, steps, search, letters.checked, dialog);
      if (act === undefined) return;
      act();
      pressed.preventDefault();
    },
    { signal },
  );
  const open = button("Keyboard", () => dialog.showModal(), { class: "plain", title: "Keyboard (?)" });
  return element("div", { class: "keyboard" }, open, dialog);
}

function actionOf(
  { key, shiftKey, target }: KeyboardEvent,
  steps: Steps,
  search: Search,
  letters: boolean,
  dialog: HTMLDialogElement,
): (() => unknown) | undefined {
  if (isSearchField(target) || target instanceof HTMLSelectElement) return undefined;
  switch (key) {
    case "ArrowLeft":
      return shiftKey ? steps.turnBack : steps.back;
    case "ArrowRight":
      return shiftKey ? steps.turnOn : steps.on;
  }
  // A slider goes there itself.
  if (!(target instanceof HTMLInputElement)) {
    switch (key) {
      case "Home":
        return steps.first;
      case "End":
        return steps.last;
    }
  }
  if (!letters) return undefined;
  switch (key) {
    case "j":
      return steps.on;
    case "k":
      return steps.back;
    case "/":
      return search.focus;
    case "n":
      return () => search.next(1);
    case "p":
      return () => search.next(-1);
    case "?":
      return () => dialog.showModal();
  }
  return undefined;
}

function isSearchField(target: EventTarget | null): target is HTMLInputElement {
  return target instanceof HTMLInputElement && target.type === "search";
}
