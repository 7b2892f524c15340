// Says what a docstring lacks. A user meets the docstring of a public name alone, in a hover or on the reference site, so each sentence
// must have a verb of its own, and each function says what it takes, throws and looks like in use: `api.mjs` asks for that. All other
// docstrings of src must be sentences, too: `node .ci/docstrings.mjs` lists those that are not and counts them, and a test holds it at 0.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(import.meta.dirname, "..");

const auxiliaries = words("is are was were has have had does do did can may must will would should could cannot");
/** In the third person, as docstrings have them; the plain form of each counts, too. A verb that is missing here can be added. */
const thirdPerson = words(`
  accepts accounts acts adds allows announces answers appends applies archives asks assembles bears becomes begins
  behaves belongs blocks breaks brings builds calls carries chains changes checks claims clears closes comes commits
  compares computes configures connects consists contains continues controls copies costs counts covers creates cuts
  damages decides decodes delivers depends describes dictates differs draws drops emits ends entries equals escapes
  exceeds exists expects explains fails falls feeds fetches files fills finds fits folds follows forgets forks forms gathers
  generates gets gives goes groups grows guards hands hangs happens hashes hears hides hits holds imports includes
  jumps keeps knows lacks lasts leads learns leaves lets lies limits lines links listens lists lives loads locks logs
  looks loses makes maps marks matches matters means measures merges mirrors moves names narrows needs notes numbers
  occurs offers opens orders overwrites owns packs parses pass passes picks places plays points prevents prints
  promises protects proves provides publishes pushes puts queues races raises reads recalls receives recognises records
  refuses registers rejects releases remains remembers removes renders repairs repeats replaces replays reports
  requires resolves restores rests results resumes returns rewrites runs saves says scans seals searches sees selects
  sends serves sets settles shares shows signs spans speaks splits spreads stamps stands starts states stays steps
  stops stores suits supports survives syncs takes tells tests texts throws touches translates tries trusts turns
  understands undoes unfolds updates uses verifies waits wakes walks wants warns watches wins works wraps writes
  yields
`);
const past = words(`
  answered appended asked became began broke brought came carried changed decided delivered failed followed forked
  found gave grew happened held kept knew led left lost made matched meant merged moved offered ordered parted
  rejected replaced restored returned said stood took typed went wrote
`);
const plain = new Set(
  [...thirdPerson].flatMap((verb) => [verb.replace(/s$/, ""), verb.replace(/es$/, ""), verb.replace(/ies$/, "y")]),
);
const subordinators = words("because how if that unless until what where whether which while who whom whose why");
const determiners = words(`
  a all an any by each every first for from her his in its last more my new no of older on other our own per same some such the
  their these this those three two with your
`);
const notFinite = words("to not is are was were be been do does did can may must will would should could cannot");
const prepositions = words(
  "after around at before behind between by for from in like of on than through to under with",
);
const demonstratives = words("each it that these they this those");
const persons = words("anybody client host it nobody person somebody that they what which who whoever");

/** What no sentence begins with: the rest would be a fragment. */
const fragmentStart =
  /^(?:[A-Z][a-z]+ed (?:as|at|behind|beside|by|for|from|in|into|on|once|only|so|to|under|when|where|with|without)\b|As(?! long)|Absent|Default|Exclusive|Make|Not|Of|To be|Undefined|Why|Without,)\b(?! stands\b)/;

/** Lists what is wrong with the docstring of a declaration, or of a member of one. */
export function faultsOf(node) {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = docs.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "").join("\n");
  const faults = fragmentsIn(text).map((sentence) => `no sentence: ${sentence}`);
  return ts.isFunctionDeclaration(node) ? [...faults, ...missingTags(node)] : faults;
}

/** The sentences of a text that have no main verb, as far as that can be told without knowing English. */
export function fragmentsIn(text) {
  const prose = text.replace(/```[\s\S]*?```/g, "").replace(/`[^`]*`|\{@link [^}]*\}|"[^"]*"/g, "X");
  const sentences = prose.replace(/\s+/g, " ").split(/(?<=[.!?])\s+(?=[A-Z])/);
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "" && isFragment(sentence));
}

function isFragment(sentence) {
  const list = sentence.toLowerCase().match(/[a-z'-]+|[,;:()]/g) ?? [];
  const verbs = list.filter((word, at) => isVerb(word, at, list)).length;
  const clauses = list.filter((word, at) => isSubordinate(word, at, list)).length;
  return fragmentStart.test(sentence) || verbs <= clauses;
}

function isVerb(word, at, list) {
  const before = list[at - 1] ?? "";
  if (auxiliaries.has(word)) return !auxiliaries.has(before);
  if (word.endsWith("n't")) return true;
  if (past.has(word)) return !auxiliaries.has(before);
  if (word.endsWith("ed") && (persons.has(before) || endsClause(at, list))) return true;
  if (thirdPerson.has(word)) return at === 0 || !determiners.has(before) || isDemonstrative(at - 1, list);
  return plain.has(word) && !notFinite.has(before) && (!determiners.has(before) || isDemonstrative(at - 1, list));
}

/** In `that the caller expected`, a past tense stands shortly behind the word that begins the clause. */
function endsClause(at, list) {
  const before = list[at - 1] ?? "";
  return (
    !auxiliaries.has(before) &&
    !determiners.has(before) &&
    list.slice(Math.max(0, at - 4), at).some((each) => subordinators.has(each))
  );
}

/** `this` stands for a thing by itself where a clause begins with it; elsewhere it goes with a noun. */
function isDemonstrative(at, list) {
  return demonstratives.has(list[at]) && (at <= 1 || /^(?:[,;:]|of)$/.test(list[at - 1]));
}

/** `what to do` and `because of it` have no verb of their own; `that of`, `of that file`, `why that proves` and `a while` are no clauses. */
function isSubordinate(word, at, list) {
  const [next = "", second] = list.slice(at + 1);
  if (!subordinators.has(word) || /^,?$/.test(next) || next === "to" || second === "to") return false;
  if (word === "because") return next !== "of";
  if (word === "while") return !determiners.has(list[at - 1]);
  if (word !== "that") return true;
  if (prepositions.has(list[at - 1]) || subordinators.has(list[at - 1])) return false;
  return !["of", "is", "was", ",", ";", ":", ")"].includes(next);
}

function missingTags(node) {
  const tags = ts.getJSDocTags(node);
  const described = tags.filter(ts.isJSDocParameterTag).length;
  const missing = ["throws", "example"].filter((name) => !tags.some(({ tagName }) => tagName.text === name));
  if (described < node.parameters.length) missing.unshift("param");
  return missing.map((name) => `no @${name}`);
}

/** The docstrings of src that are no sentences, each with its place. */
export function fragmentsInSources() {
  const names = readdirSync(join(root, "src"), { recursive: true }).filter((name) => name.endsWith(".ts"));
  return names.sort().flatMap((name) => {
    const text = readFileSync(join(root, "src", name), "utf8");
    return [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].flatMap(({ 1: docstring, index }) => {
      const [prose] = docstring.replace(/^\s*\* ?/gm, "").split(/^\s*@\w/m);
      const line = text.slice(0, index).split("\n").length;
      return fragmentsIn(prose).map((sentence) => `src/${name}:${line}: no sentence: ${sentence}`);
    });
  });
}

function words(text) {
  return new Set(text.trim().split(/\s+/));
}

if (process.argv[1] === import.meta.filename) {
  const found = fragmentsInSources();
  console.log([...found, `${found.length} docstrings of src are no sentences.`].join("\n"));
  process.exitCode = found.length === 0 ? 0 : 1;
}
