/** A server program found on this machine. */
export interface Binary {
  readonly path: string;
  readonly version: string;
  /** Where it came from, for the line that is printed. */
  readonly from: string;
}
