// The session that every client is asked to write: an agent finds out why tokens expire at once west of Greenwich.
import * as repo from "./repo.mjs";
import { createTeller } from "./teller.mjs";

const instructions = "You are a coding assistant in /home/dev/acme-auth. Keep findings in session.scratchpad.";
const failing = "a fresh token is valid west of Greenwich";

/** Nine user turns, a compaction after the fourth, a branch left after the fifth. */
export function tell(session, clock) {
  const teller = createTeller(session, clock);
  if (session.buildSessionProjection) teller.instruct(instructions); // clients since 0.87 keep them in the session
  session.appendModelChange("anthropic", "claude-sonnet-4-5");
  session.appendThinkingLevelChange("medium");

  findTheCause(teller);
  readTheLog(teller);
  const reproduced = reproduce(teller);
  const asked = fix(teller);
  compact(session, clock, asked);
  tryNumbers(session, clock, teller);
  keepStrings(teller);
  testMidnight(teller);
  session.appendLabelChange(reproduced, "reproduced");
  writeDown(teller);
  sumUp(session, teller);
}

function findTheCause(teller) {
  teller.user("Since 2.14.0 users of our São Paulo region are logged out right after they log in. Find out why.");
  teller.bash("I'll start with what changed in that release.", "git log --oneline v2.13.0..HEAD", repo.gitLog);
  teller.read("Login first.", "src/auth/login.ts", repo.loginSource);
  teller.read(
    "The session is opened with the token's own expiry, so the token is next.",
    "src/auth/token.ts",
    repo.tokenSource,
  );
  teller.scratchpad(
    "Worth keeping.",
    "Suspect: b7740aa (Drop moment). formatLocal() writes local time, isExpired() reads it as UTC.\nNot proven yet.",
  );
  teller.say(
    "`formatLocal` writes the server's local time, `isExpired` appends a Z and reads it as UTC. I suspect b7740aa.",
  );
}

function readTheLog(teller) {
  teller.user("Here is this morning's gateway log, log/gateway.log. Does it fit?");
  teller.read("I'll read it whole.", "log/gateway.log", repo.gatewayLog(700));
  teller.bash("And the commit itself.", "git show b7740aa -- src/auth/token.ts", repo.removedMoment);
  teller.setNotes(
    "It fits; noting it.",
    [
      "Bug: tokens expire at once on gw-sao-1 (UTC-3), never on gw-lon-2 or gw-fra-1.",
      "Root cause: timezone mismatch in token expiry, since b7740aa (2.14.0).",
      "formatLocal() writes local time, isExpired() reads it as UTC.",
    ].join("\n"),
  );
  teller.setPlan(
    "And the plan.",
    "1. Reproduce in a test (TZ=America/Sao_Paulo)\n2. Fix src/auth/token.ts\n3. Check who else reads expiresAt\n4. Changelog",
  );
  teller.setRefs("And where things are.", [
    "src/auth/token.ts",
    "src/auth/login.ts",
    "log/gateway.log",
    "commit b7740aa",
  ]);
  teller.say(
    "Yes: every 401 is from gw-sao-1, and each of its tokens carries an expiry three hours early, which is past by then.",
  );
}

function reproduce(teller) {
  teller.user("Reproduce it in a test before you touch anything.");
  teller.edit(
    "I'll add the test.",
    "test/auth/token.test.ts",
    "Successfully replaced 1 block in test/auth/token.test.ts.",
  );
  const run = "TZ=America/Sao_Paulo npm test";
  const result = teller.bash("Now west of Greenwich.", run, repo.testRun("America/Sao_Paulo", [failing]), true);
  teller.bash("And east of it, for comparison.", "TZ=Europe/Berlin npm test", repo.testRun("Europe/Berlin"));
  teller.appendNotes(
    "Reproduced.",
    `Test: "${failing}" fails with TZ=America/Sao_Paulo, passes with TZ=Europe/Berlin.`,
  );
  teller.addRef("The test is worth a reference.", "test/auth/token.test.ts:31");
  teller.say("Reproduced: it fails in São Paulo and passes in Berlin, where the token merely lives an hour too long.");
  return result;
}

function fix(teller) {
  const asked = teller.user("Good. Fix it.");
  teller.edit(
    "`formatUtc` instead of `formatLocal`.",
    "src/auth/token.ts",
    `Successfully replaced 1 block.\n\n${repo.fixedFormat}`,
  );
  teller.bash("Once more.", "TZ=America/Sao_Paulo npm test", repo.testRun("America/Sao_Paulo"));
  teller.setPlan(
    "Two steps are done.",
    "1. ~~Reproduce in a test~~ DONE\n2. ~~Fix src/auth/token.ts~~ DONE\n3. Check who else reads expiresAt <-- current\n4. Changelog",
  );
  teller.say("Fixed and green in both zones. Next I would check who else reads `expiresAt`.");
  return asked;
}

function compact(session, clock, firstKept) {
  clock.pass(3);
  session.appendCompaction(
    "## Goal\nFind out why users in São Paulo are logged out at once since 2.14.0.\n\n## Done\nThe cause (b7740aa, local time read as UTC) is found, reproduced in test/auth/token.test.ts and fixed.\n\n## Next\nCheck who else reads expiresAt; changelog.",
    firstKept,
    61_340,
    {
      readFiles: ["src/auth/login.ts", "log/gateway.log"],
      modifiedFiles: ["src/auth/token.ts", "test/auth/token.test.ts"],
    },
  );
}

/** A branch that is left: what it wrote stays in the file, but not on the path of the conversation. */
function tryNumbers(session, clock, teller) {
  const before = session.getLeafId();
  const remembered = teller.remember();
  teller.user("Why is it a string at all? Make expiresAt a number of milliseconds everywhere.");
  teller.bash("Let me see who reads it.", 'rg -n "expiresAt" services', repo.usesOfExpiresAt());
  teller.setPlan(
    "New plan.",
    "1. expiresAt: number in Token\n2. Migrate 9 services, 72 files\n3. New version of the mobile API",
  );
  teller.appendNotes(
    "That is large.",
    "expiresAt as a number: 72 files in 9 services, and breaks mobile clients before 4.2.",
  );
  teller.say("Nine services and 72 files read it as text of 19 characters, mobile clients before 4.2 among them.");
  clock.pass(40);
  session.branchWithSummary(
    before,
    "Tried expiresAt as a number: 72 files in 9 services, breaks mobile clients before 4.2. Left.",
  );
  teller.rewind(remembered.notes, remembered.plan, remembered.refs);
}

function keepStrings(teller) {
  teller.user(
    "That touches the mobile API, so no. Keep the string, but make sure that what is stored now does no harm.",
  );
  teller.changeModel("gpt");
  teller.bash("What is stored right now?", "curl -s localhost:8080/admin/sessions?limit=200", repo.storedSessions(200));
  teller.appendNotes(
    "Noting the decision.",
    "Decision: expiresAt stays text of 19 characters in UTC (mobile clients before 4.2 reject the Z).\nOld tokens from gw-sao-1 are refused at once and renewed by a login: no migration.",
  );
  teller.addRef("And the contract of the mobile API.", "https://acme.example/docs/mobile-api#expiresat");
  teller.say(
    "Stored tokens run out within two hours at most, and those from São Paulo are refused anyway: no migration is needed.",
  );
}

function testMidnight(teller) {
  teller.user("What about daylight saving, and a token that crosses midnight?");
  teller.edit(
    "Two more tests.",
    "test/auth/token.test.ts",
    "Successfully replaced 2 blocks in test/auth/token.test.ts.",
  );
  teller.bash("In the zone with the odd offset too.", "TZ=Asia/Kathmandu npm test", repo.testRun("Asia/Kathmandu"));
  teller.setPlan(
    "Step 3 is done.",
    "1. ~~Reproduce in a test~~ DONE\n2. ~~Fix src/auth/token.ts~~ DONE\n3. ~~Check who else reads expiresAt~~ DONE\n4. Changelog <-- current\n5. Pull request",
  );
  teller.say("Both pass: in UTC there is no daylight saving, and midnight is an instant like any other.");
}

function writeDown(teller) {
  teller.user("Then the changelog, one line.");
  teller.edit("One line.", "CHANGELOG.md", "Successfully replaced 1 block in CHANGELOG.md.");
  teller.setRefs("The log is no longer needed.", [
    "src/auth/token.ts",
    "test/auth/token.test.ts:31",
    "CHANGELOG.md",
    "commit b7740aa",
    "https://acme.example/docs/mobile-api#expiresat",
  ]);
  teller.say("“Tokens are valid again west of Greenwich: their expiry is written in UTC.”");
}

function sumUp(session, teller) {
  session.appendSessionInfo("Tokens expire at once in São Paulo");
  teller.user("Sum it up for the pull request, then stop for today.");
  teller.say(
    "Cause: b7740aa formatted the expiry in local time. Fix: format it in UTC. Tests: three zones, midnight, daylight saving.",
  );
}
