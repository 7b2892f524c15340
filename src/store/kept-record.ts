/** A record as it is kept. `place`: what records are ordered by, above 0. */
export interface KeptRecord {
  readonly place: number;
  readonly json: string;
}
