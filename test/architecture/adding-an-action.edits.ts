/** What it takes to add an action with its event: `refs.move` gives `ref.moved`, a ref that is put last. */
export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** A short text that stands in the file exactly once. */
  readonly anchor: string;
  /** What goes before the anchor. */
  readonly added: string;
}

export const edits: readonly Edit[] = [
  {
    file: "src/event/event.ts",
    anchor: '  | { readonly type: "ref.removed"',
    added: '  | { readonly type: "ref.moved"; readonly ref: string }\n',
  },
  {
    file: "src/event/types.ts",
    anchor: '  "ref.removed": {',
    added: `  "ref.moved": {
    fields: { ref: text },
    space: "refs",
    action: "refs.move",
    asked: ({ ref }) => ({ ref }),
    title: () => "ref moved",
    text: ({ ref }) => ref,
    isUse: true,
  },
`,
  },
  {
    file: "src/state/evolve.ts",
    anchor: '    case "ref.removed":\n      return withoutRef',
    added: `    case "ref.moved": {
      const { refs } = withoutRef(state, event.ref);
      return refs === state.refs ? state : withRefs(state, [...refs, event.ref]);
    }
`,
  },
  {
    file: "src/state/evolve.ts",
    anchor: '    case "ref.removed":\n      return isText',
    added: '    case "ref.moved":\n',
  },
  {
    file: "src/action/actions.ts",
    anchor: '  | { readonly action: "refs.remove"',
    added: '  | { readonly action: "refs.move"; readonly ref: string }\n',
  },
  { file: "src/action/actions.ts", anchor: '  "refs.remove": {', added: '  "refs.move": { ref: read.readRef },\n' },
  {
    file: "src/action/decide.ts",
    anchor: '    case "refs.remove":',
    added: `    case "refs.move":
      return state.refs.includes(action.ref) ? { type: "ref.moved", ref: action.ref } : "not_found";
`,
  },
  {
    file: "src/journal/spaces.ts",
    anchor: "    remove: (ref, options)",
    added: '    move: (ref, options) => apply({ action: "refs.move", ref }, options),\n',
  },
  {
    file: "src/journal/spaces.ts",
    anchor: "  /** Removes the first exact match. */",
    added:
      "  /** Makes the first exact match the newest. */\n  move(ref: string, options?: ApplyOptions): Promise<Answer>;\n",
  },
  { file: "src/testing/arbitraries.ts", anchor: '  "refs.remove": fc', added: '  "refs.move": fc.record({ ref }),\n' },
  { file: "src/testing/arbitraries.ts", anchor: '  "ref.removed": fc', added: '  "ref.moved": fc.record({ ref }),\n' },
  {
    file: "docs/format.md",
    anchor: "| `ref.removed` |",
    added: "| `ref.moved` | `ref` | the first exact match is put last |\n",
  },
];
