/** Why a line is not a recording that can be replayed. The message names the place and never shows content. */
export class Fault extends Error {}

export function fail(path: string, what: string): never {
  throw new Fault(`${path} ${what}`);
}
