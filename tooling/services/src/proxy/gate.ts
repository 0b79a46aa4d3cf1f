/** Open, everything passes at once; closed, whoever asks to pass waits until it opens. */
export interface Gate {
  close(): void;
  open(): void;
  passable(): Promise<void>;
}

export function createGate(): Gate {
  let closed: { promise: Promise<void>; open: () => void } | undefined;
  return {
    close: () => {
      closed ??= barrier();
    },
    open: () => {
      closed?.open();
      closed = undefined;
    },
    passable: async () => {
      while (closed) await closed.promise;
    },
  };
}

function barrier() {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}
