import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCommit, sealCommit } from "../../src/line/chain.ts";
import { commitLine, mirrorLine } from "../../src/line/encode.ts";
import { canonicalJson } from "../../src/line/json.ts";
import { OwnLineDecoder } from "../../src/line/own-line.ts";
import {
  anyCommit,
  anyHostLine,
  anyId,
  anyMirror,
  anyOurLine,
  damaged,
  decodeLine,
  encodeContext,
  names,
} from "./lines.ts";

const printed = new OwnLineDecoder(names);
/** Characters that are escaped for readers that split lines at them: the bytes as they stand hash to something else. */
const isEscaped = /[\u0080-\u009f\u2028\u2029]/;

function withoutFeed(text: string): Buffer {
  return Buffer.from(text.slice(0, -1));
}

test("a commit's hash is found in its bytes as they stand: no line of ours is printed a second time to be checked", () => {
  let taken = 0;
  fc.assert(
    fc.property(anyCommit, anyId, fc.boolean(), (data, parentId, isSealed) => {
      const seal = isSealed ? "a key" : undefined;
      const { hash: _, ...unsealed } = data;
      const { data: sealed, json } = sealCommit(unsealed, seal);
      expect(json).toBe(canonicalJson(sealed));
      const { text, id } = commitLine(sealed, parentId, encodeContext());
      const line = printed.read(withoutFeed(text));
      if (line?.kind !== "commit") throw new Error("not seen as a commit");
      const entry = { id, parentId, timestamp: "2026-11-21T21:00:00.000Z" };
      const { hashed, ...decoded } = line;
      expect(decoded).toEqual({ kind: "commit", entry, data: sealed });
      // Other data under the same hash: only the bytes can be right.
      const hollow = { ...sealed, events: [], v: 9 };
      // An engine puts keys that are numbers first: whether such data is canonical, only printing it says.
      const isTaken = !isEscaped.test(JSON.stringify(sealed)) && JSON.stringify(JSON.parse(json)) === json;
      if (isTaken) taken += 1;
      expect(checkCommit(hollow, seal, hashed)).toBe(isTaken ? "right" : "wrong");
      expect(checkCommit(sealed, seal, hashed)).toBe("right");
    }),
  );
  expect(taken).toBeGreaterThan(0);
});

test("a damaged line is judged by its bytes as it is judged by its data", () => {
  fc.assert(
    fc.property(damaged(anyOurLine), (bytes) => {
      for (const line of [bytes.subarray(0, -1), bytes]) {
        const frame = printed.read(line);
        const decoded = decodeLine(line, names);
        if (frame === undefined) continue;
        if (frame.kind === "mirror") {
          if (decoded === undefined) continue;
          expect(decoded).toMatchObject({ kind: "value", key: frame.key, entry: frame.entry });
          expect(decoded).toHaveProperty("mirror");
          continue;
        }
        expect(frame).toMatchObject(decoded ?? { kind: "nothing of ours" });
        if (frame.kind === "commit")
          expect(checkCommit(frame.data, undefined, frame.hashed)).toBe(checkCommit(frame.data));
      }
    }),
  );
});

test("a mirror is known without its text, and nothing else is taken for one", () => {
  fc.assert(
    fc.property(anyMirror, ([type, value, mirror, parentId]) => {
      const { text, id } = mirrorLine(type, value, mirror, parentId, encodeContext());
      const key = type === names.legacy ? "legacy" : type.slice(names.namespace.length + 1);
      const entry = { id, parentId, timestamp: "2026-11-21T21:00:00.000Z" };
      const seen = Array.isArray(value) ? undefined : { kind: "mirror", key, entry };
      expect(printed.read(withoutFeed(text))).toEqual(seen);
      expect(printed.read(withoutFeed(text.replace('"mirror":', '"marker":')))).toBeUndefined();
    }),
  );
  fc.assert(
    fc.property(anyHostLine, (text) => {
      expect(printed.read(withoutFeed(text))).toBeUndefined();
    }),
  );
});

test("data that stands in another place than that of `data` does not vouch for it", () => {
  fc.assert(
    fc.property(anyCommit, anyCommit, (good, other) => {
      const line = commitLine(good, null, encodeContext()).text.slice(0, -1);
      const evil = JSON.stringify({ ...other, hash: good.hash });
      const forged = [
        line.replace(/\}$/, `,"data":${evil}}`),
        line.replace('"data":', `"data":${evil},"data":`),
        line.replace('"data":', `"data":${evil},"more":`),
        `${line.replace(/\}$/, "")},"more":${line},"data":${evil}}`,
      ];
      for (const text of forged) {
        const bytes = Buffer.from(text);
        const decoded = decodeLine(bytes, names);
        const frame = printed.read(bytes);
        if (frame?.kind === "commit") expect(frame).toMatchObject(decoded ?? { kind: "nothing of ours" });
        if (decoded?.kind !== "commit" || frame?.kind !== "commit") continue;
        expect(checkCommit(decoded.data, undefined, frame.hashed)).toBe(checkCommit(decoded.data));
      }
    }),
  );
});
