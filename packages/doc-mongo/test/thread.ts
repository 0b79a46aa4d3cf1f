import { beforeEach } from 'vitest';

/** The thread of the test that runs: another one in the next. */
export function threadOfTest(): { id: string } {
  const thread = { id: '' };
  let count = 0;
  beforeEach(() => {
    count += 1;
    thread.id = `thread ${count}`;
  });
  return thread;
}
