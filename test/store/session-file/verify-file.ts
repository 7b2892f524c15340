import type { Verification, VerifyOptions } from "../../../src/audit/verify/finding.ts";
import { verifyLines } from "../../../src/audit/verify/verify.ts";
import type { SealKey } from "../../../src/line/chain.ts";
import { listLines } from "../../../src/store/session-file/session-lines.ts";
import { names } from "../../line/lines.ts";

export function verifyFile(
  file: string,
  options: { readonly seal?: SealKey; readonly head?: VerifyOptions["head"] } = {},
): Promise<Verification> {
  const { seal, head } = options;
  return verifyLines(listLines(file), {
    namespace: names.namespace,
    ...(seal === undefined ? {} : { seal }),
    ...(head === undefined ? {} : { head }),
  });
}
