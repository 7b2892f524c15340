/** This is Gemini CLI's tracker: tasks with ids that the calls change one by one, and that the client lists after each. */
import { type Fields, fields } from "../event/fields.ts";
import { box, type ChecklistItem, checklistText, oneLine } from "./checklist.ts";
import { list, text, texts } from "./fields.ts";
import type { Confirmed, Telling } from "./telling.ts";

interface Task {
  readonly title: string;
  readonly status: string;
  readonly after: readonly string[];
}

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

export class GeminiTracker {
  readonly #telling: Telling;
  readonly #tasks = new Map<string, Task>();
  /** A part of the conversation that was left behind changed tasks, and the client does not rewind those. */
  #isLeft = false;

  constructor(telling: Telling) {
    this.#telling = telling;
  }

  /** False: the answer names no task. */
  create(args: Fields, said: string, by: Confirmed): boolean {
    const id = /^Created task ([^\s:]{1,64}):/.exec(said)?.[1];
    if (id === undefined) return false;
    const after = texts(args["dependencies"]);
    this.#tasks.set(id, { title: text(args["title"]) ?? "", status: "open", after });
    this.#tell(by);
    return true;
  }

  update(args: Fields, said: string, by: Confirmed): boolean {
    const id = /^Updated task ([^\s:.]{1,64})\./.exec(said)?.[1];
    if (id === undefined) return false;
    const task = this.#tasks.get(id) ?? { title: "", status: "open", after: [] };
    const after = Array.isArray(args["dependencies"]) ? texts(args["dependencies"]) : task.after;
    const [title, status] = [text(args["title"]) ?? task.title, text(args["status"]) ?? task.status];
    this.#tasks.set(id, { title, status, after });
    this.#tell(by);
    return true;
  }

  link(args: Fields, said: string, by: Confirmed): boolean {
    const [id, other] = [text(args["taskId"]) ?? "", text(args["dependencyId"]) ?? ""];
    const task = this.#tasks.get(id);
    if (!said.startsWith("Linked ")) return false;
    if (task !== undefined) this.#tasks.set(id, { ...task, after: [...new Set([...task.after, other])] });
    this.#tell(by);
    return true;
  }

  left(): void {
    this.#isLeft = true;
  }

  /** The whole list, as the client shows it: in another order, and with fewer statuses. */
  check(display: unknown, by: Confirmed): void {
    if (!Array.isArray(fields(display)["todos"])) return;
    const shown = list(fields(display)["todos"]).map((todo) => shownIn(fields(todo)));
    if (shown.some((task) => task === undefined)) return;
    const tasks = shown.filter((task) => task !== undefined);
    const isLeft = this.#isLeft;
    this.#isLeft = false;
    if (tasks.length === this.#tasks.size && tasks.every((task) => this.#isAsShown(task))) {
      this.#telling.agree();
      return;
    }
    const ids = new Set(tasks.map(({ id }) => id));
    for (const id of this.#tasks.keys()) if (!ids.has(id)) this.#tasks.delete(id);
    for (const task of tasks) if (!this.#isAsShown(task)) this.#take(task);
    this.#telling.checkPlan(checklistText(this.#items()), by, isLeft);
  }

  #take({ id, title, status }: Shown): void {
    this.#tasks.set(id, { after: this.#tasks.get(id)?.after ?? [], title, status });
  }

  #isAsShown({ id, title, status }: Shown): boolean {
    const task = this.#tasks.get(id);
    if (task === undefined || oneLine(task.title) !== oneLine(title)) return false;
    const own = box(task.status);
    return box(status) === (own === "[!]" ? "[ ]" : own);
  }

  #tell(by: Confirmed): void {
    this.#telling.setPlan(checklistText(this.#items()), by);
  }

  *#items(): Generator<ChecklistItem> {
    for (const [id, { title, status, after }] of this.#tasks) yield { id, text: title, status, after };
  }
}

/** `task: Title (053d53)`, in earlier versions `[053d53] [TASK] Title`; subtasks are indented. */
function shownIn(todo: Fields): Shown | undefined {
  const description = (text(todo["description"]) ?? "").trim();
  const status = text(todo["status"]) ?? "";
  const [, title, id] = /^\w{1,16}: (.*) \(([\w-]{1,64})\)$/s.exec(description) ?? [];
  if (title !== undefined && id !== undefined) return { id, title, status };
  const [, earlierId, earlierTitle] = /^\[([\w-]{1,64})\] \[\w{1,16}\] (.*)$/s.exec(description) ?? [];
  if (earlierId === undefined || earlierTitle === undefined) return undefined;
  return { id: earlierId, title: earlierTitle, status };
}
