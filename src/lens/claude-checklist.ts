/** This is Claude Code's checklist: the list that TodoWrite sets whole, or the tasks of TaskCreate and TaskUpdate. */
import { type Fields, fields } from "../event/fields.ts";
import { type ChecklistItem, checklistText, isAllDone, itemLine, todoItems } from "./checklist.ts";
import { list, text, texts } from "./fields.ts";
import type { Confirmed, Telling } from "./telling.ts";

interface Task extends ChecklistItem {
  readonly id: string;
  readonly after: readonly string[];
  /** This is how the text of the list has it: a call changes one task, and the lines of the others stay. */
  readonly line: string;
}

export interface TaskChange {
  readonly id: string;
  /** These are fields of the client's. */
  readonly change: Fields;
}

/** A hostile file has millions of them. */
const leftTasksMax = 10_000;

export class ClaudeChecklist {
  /** A checklist tool was used. */
  isUsed = false;
  /** What is told now was copied from the conversation that this one is a fork of. */
  isCopied = false;
  readonly #telling: Telling;
  #tasks = new Map<string, Task>();
  /** The tasks are those of that conversation. The client keeps them there, and the fork begins with none. */
  #isOfOrigin = false;
  /** All of these were completed when the next task was created: the client empties such a list, unless it runs without a terminal or the next task comes at once. */
  #putAway: ReadonlyMap<string, Task> = new Map();
  /** What TodoWrite set last; undefined where tasks are kept instead. */
  #todos: readonly ChecklistItem[] | undefined;
  /** The client says what it held before: it did not up to 1.0.111. */
  #repeats = false;
  /** The compaction since the list was last set. */
  #compaction: Confirmed | undefined;
  /** Since then, a branch that was left changed the list, and the client does not rewind that. */
  #isLeft = false;
  /** These tasks are as such a branch left them. The client holds them so, until a call or a list here says more. */
  readonly #leftTasks = new Map<string, Task>();

  constructor(telling: Telling) {
    this.#telling = telling;
  }

  /** `held`: what the client says that the list was before; an empty one says nothing but after a compaction. */
  write(todos: unknown, held: unknown, by: Confirmed): void {
    const before = todoItems(held);
    if (before.length > 0) {
      this.#repeats = true;
      this.#check(checklistText(before), by);
    } else if (this.#repeats && this.#compaction !== undefined) this.#emptied(by);
    this.isUsed = true;
    if (!Array.isArray(todos)) {
      this.#telling.noList(by.place);
      return;
    }
    this.#todos = todoItems(todos);
    this.#compaction = undefined;
    this.#isLeft = false;
    this.#telling.setPlan(checklistText(this.#todos), by);
  }

  create({ id, change }: TaskChange, by: Confirmed): void {
    this.isUsed = true;
    // A list gives no id twice: it is another one, as that of a copied conversation is.
    const isOther = this.#tasks.has(id) || this.#putAway.has(id);
    const isDone = isAllDone([...this.#items(), ...this.#leftTasks.values()]);
    if (isDone || isOther) {
      this.#telling.setPlan("", by);
      this.#putAway = isOther ? new Map() : this.#tasks;
      this.#tasks = new Map();
      this.#leftTasks.clear();
    }
    this.#leftTasks.delete(id);
    this.#tasks.set(id, this.#changed({ id, change }));
    this.#tellTasks(by);
  }

  /** `change` is what the call asked for. `isShared`: others may have added tasks that nothing said yet. */
  update({ id, change }: TaskChange, by: Confirmed, isShared: boolean): void {
    this.isUsed = true;
    if (this.#putAway.has(id)) this.#keepPutAway();
    if (change["status"] === "deleted") this.#delete(id);
    else {
      this.#tasks.set(id, this.#changed({ id, change }, isShared));
      for (const blocked of texts(change["addBlocks"])) {
        const other = this.#tasks.get(blocked);
        if (other !== undefined) this.#tasks.set(blocked, taskOf({ ...other, after: added(other.after, [id]) }));
      }
    }
    this.#leftTasks.delete(id);
    this.#tellTasks(by);
  }

  /** The client has no such task. A fork learns by this that it has none of those that its origin had. */
  missed(id: string, by: Confirmed): void {
    if (this.isCopied || !this.#isOfOrigin || !this.#tasks.has(id)) return;
    this.#telling.setPlan("", by);
    this.#forgetTasks();
  }

  #changed({ id, change }: TaskChange, isShared = false): Task {
    const task = this.#leftTasks.get(id) ?? this.#tasks.get(id) ?? { text: "", status: "pending", after: [] };
    // The client says nothing of blockers that it does not have, and leaves them out.
    const isHeld = (blocker: string) => isShared || this.#tasks.has(blocker) || this.#leftTasks.has(blocker);
    return taskOf({
      id,
      text: text(change["subject"]) ?? task.text,
      status: text(change["status"]) ?? task.status,
      after: added(task.after, texts(change["addBlockedBy"]).filter(isHeld)),
    });
  }

  #delete(id: string): void {
    this.#tasks.delete(id);
    for (const [other, task] of this.#tasks) {
      if (!task.after.includes(id)) continue;
      this.#tasks.set(other, taskOf({ ...task, after: task.after.filter((one) => one !== id) }));
    }
  }

  /** The content is the whole list, as the client repeats it. `agents` are the subagents so far, who may have added tasks of their own. */
  remindTasks(content: unknown, by: Confirmed, agents: readonly string[]): void {
    const listed = inOrder(tasksOf(content));
    if (this.#todos !== undefined) return;
    if (listed.size === 0) {
      this.#remindEmpty(by);
      return;
    }
    if ([...this.#putAway.keys()].some((id) => listed.has(id))) {
      this.#keepPutAway();
      this.#tellTasks(by);
    }
    // Others made these: subagents, or the conversation that was copied, of which a compaction may have left the end alone.
    const mayHaveOthers = agents.length > 0 || this.isCopied;
    const merged = mayHaveOthers ? inOrder(withOthers(this.#tasks, listed)) : this.#tasks;
    const isByOther = merged !== this.#tasks;
    if (isByOther) {
      const [agent = by.actor, ...more] = agents;
      this.#telling.setPlan(planOf(merged), { ...by, actor: more.length === 0 ? agent : "a subagent" });
    }
    this.isUsed = true;
    this.#tasks = listed;
    this.#isOfOrigin = this.isCopied;
    this.#leftTasks.clear();
    const whole = planOf(listed);
    this.#check(whole, by, isByOther && whole === this.#telling.plan);
  }

  remindTodos(content: unknown, by: Confirmed): void {
    const items = todoItems(content);
    if (items.length === 0) {
      if (this.#todos !== undefined) this.#remindEmpty(by);
      return;
    }
    this.#todos = items;
    this.isUsed = true;
    this.#check(checklistText(items), by);
  }

  /** The tasks are as a call listed them: each names those of its blockers that are open, not all of them. */
  listed(tasks: unknown, by: Confirmed, agents: readonly string[]): void {
    const listed = tasksOf(tasks);
    for (const [id, task] of listed) {
      const known = this.#tasks.get(id);
      if (known !== undefined) listed.set(id, taskOf({ ...task, after: known.after }));
    }
    if (listed.size > 0 || this.#tasks.size > 0) this.remindTasks([...listed.values()], by, agents);
  }

  compacted(by: Confirmed): void {
    this.#compaction = by;
  }

  /** A call stands on a branch of the conversation that was left. It may have changed a task, or made it. */
  left(task?: TaskChange): void {
    this.#isLeft = true;
    if (task === undefined) return;
    if (task.change["status"] === "deleted") this.#leftTasks.delete(task.id);
    else if (this.#leftTasks.size < leftTasksMax) this.#leftTasks.set(task.id, this.#changed(task));
  }

  /** The client repeats its list. */
  #check(text: string, by: Confirmed, because = false): void {
    const isOfBranch = this.#isLeft && text !== this.#telling.plan;
    this.#isLeft = false;
    this.#telling.checkPlan(text, by, because || isOfBranch);
  }

  #remindEmpty(by: Confirmed): void {
    if (this.#telling.plan === "") {
      this.#telling.agree();
      return;
    }
    this.#emptied(by);
    this.#forgetTasks();
    if (this.#todos !== undefined) this.#todos = [];
  }

  #forgetTasks(): void {
    this.#tasks.clear();
    this.#isOfOrigin = false;
  }

  /** The client holds nothing any more: it empties a list of which all is done, and forgets one at a compaction. */
  #emptied(by: Confirmed): void {
    const isLost = this.#todos !== undefined && this.#compaction !== undefined;
    if (isAllDone(this.#items())) {
      this.#telling.agree();
      this.#telling.setPlan("", by);
    } else if (this.#telling.plan !== "") {
      const since = isLost && this.#compaction !== undefined ? this.#compaction : by;
      this.#telling.checkPlan("", since, isLost || (this.#todos === undefined && this.#isOfOrigin));
    }
    this.#compaction = undefined;
  }

  /** The client did not empty its list. */
  #keepPutAway(): void {
    this.#tasks = new Map([...this.#putAway, ...this.#tasks]);
    this.#putAway = new Map();
  }

  #items(): readonly ChecklistItem[] {
    return this.#todos ?? [...this.#tasks.values()];
  }

  #tellTasks(by: Confirmed): void {
    this.#todos = undefined;
    this.#isOfOrigin = this.isCopied;
    this.#tasks = inOrder(this.#tasks);
    this.#telling.setPlan(planOf(this.#tasks), by);
  }
}

function taskOf({ id, text, status, after }: Omit<Task, "line">): Task {
  return { id, text, status, after, line: itemLine({ id, text, status, after }) };
}

function planOf(tasks: ReadonlyMap<string, Task>): string {
  return Array.from(tasks.values(), ({ line }) => line).join("\n");
}

/** The client counts its tasks. Results of calls that it carried out at once come in any order, and so may the list that it repeats. */
function inOrder(tasks: Map<string, Task>): Map<string, Task> {
  let last = 0;
  for (const id of tasks.keys()) {
    const rank = rankOf(id);
    if (rank < last) return new Map([...tasks].sort(([one], [other]) => rankOf(one) - rankOf(other)));
    last = rank;
  }
  return tasks;
}

/** An id that is no number stands behind those that are. */
function rankOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : Number.MAX_VALUE;
}

/** These are the tasks with those that only the list names; of one that a call here changed, its subject is known by the list alone. */
function withOthers(tasks: Map<string, Task>, listed: ReadonlyMap<string, Task>): Map<string, Task> {
  let merged = tasks;
  for (const [id, task] of listed) {
    const known = tasks.get(id);
    if (known !== undefined && (known.text !== "" || task.text === "")) continue;
    if (merged === tasks) merged = new Map(tasks);
    merged.set(id, taskOf({ ...task, status: known?.status ?? task.status }));
  }
  return merged;
}

function tasksOf(content: unknown): Map<string, Task> {
  const tasks = new Map<string, Task>();
  for (const item of list(content)) {
    const task = fields(item);
    const id = text(task["id"]);
    if (id === undefined) continue;
    const subject = text(task["subject"]) ?? text(task["text"]) ?? "";
    const after = texts(task["blockedBy"] ?? task["after"]);
    tasks.set(id, taskOf({ id, text: subject, status: text(task["status"]) ?? "", after }));
  }
  return tasks;
}

function added(ids: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...ids, ...more])];
}
