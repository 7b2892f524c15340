/** This says why a file and the entry of its name are not the same. The file is left alone, and the entry kept. */
export interface PadFinding {
  readonly file: string;
  readonly key?: string;
  readonly code: PadFindingCode;
  /** This is what is wrong with the file, and what to do. */
  readonly message: string;
}

/** This says what is wrong with a file of a pad. */
export type PadFindingCode =
  /** Its name is no key. */
  | "invalid_key"
  /** Some systems keep this name for a device. */
  | "reserved_name"
  /** Some systems cannot tell its name from another key's. */
  | "case_collision"
  | "symbolic_link"
  | "not_a_file"
  /** It is not UTF-8. */
  | "not_text"
  /** Beyond what one entry could ever hold. */
  | "too_large"
  | "over_budget"
  /** Another agent holds a lease on the entry. */
  | "held"
  | "unreadable"
  | "unwritable";
