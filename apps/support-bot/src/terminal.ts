import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';

/** The person at the terminal. */
export interface Terminal {
  /** What was typed; undefined where nobody types any more. */
  ask(prompt: string): Promise<string | undefined>;
  close(): void;
}

export function openTerminal(): Terminal {
  const readline = createInterface({ input: stdin, output: stdout });
  // From the start: lines that come before they are asked for wait here.
  const lines = readline[Symbol.asyncIterator]();
  let open = true;
  readline.once('close', () => {
    open = false;
  });
  return {
    async ask(prompt) {
      readline.setPrompt(prompt);
      if (open) readline.prompt();
      else stdout.write(prompt);
      const { done, value } = await lines.next();
      return done ? undefined : value;
    },
    close: () => readline.close(),
  };
}
