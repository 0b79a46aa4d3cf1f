/** Which request a fault is for. Clients also send pings and handshakes of their own, which tests must not hit. */
export type Matches = (request: Buffer) => boolean;

/** A fault that happens once. */
export interface Shot {
  /** Settles when it has happened. */
  readonly fired: Promise<void>;
  cancel(): void;
}

/** What an armed shot does to the connection whose request it matches. */
export type Effect =
  /** The request is not forwarded; the client's connection is reset. */
  | { readonly kind: 'reset' }
  /** The request, and what comes after it on its connection, waits until then. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  /** The request is forwarded; after so many bytes of the reply the client's connection is reset. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** Nothing: the reply is seen to arrive. */
  | { readonly kind: 'pass' }
  /** The reply is replaced by these bytes. */
  | { readonly kind: 'replace'; readonly reply: Buffer };

interface Armed {
  readonly effect: Effect;
  readonly matches: Matches;
  readonly fire: () => void;
}

export interface Aimed {
  readonly effect: Effect;
  readonly fire: () => void;
}

/** The shots still to come, in the order they were armed. */
export function magazine() {
  const armed = new Set<Armed>();
  return {
    arm(effect: Effect, matches: Matches = () => true): Shot {
      let fire = () => {};
      const fired = new Promise<void>((resolve) => {
        fire = resolve;
      });
      const shot = { effect, matches, fire: () => fire() };
      armed.add(shot);
      return { fired, cancel: () => void armed.delete(shot) };
    },
    /** Takes the first shot that is meant for this request. */
    take(request: Buffer): Aimed | undefined {
      for (const shot of armed) {
        if (!shot.matches(request)) continue;
        armed.delete(shot);
        return shot;
      }
      return undefined;
    },
    clear: () => armed.clear(),
  };
}
