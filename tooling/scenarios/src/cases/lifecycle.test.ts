import { randomUUID } from 'node:crypto';
import { createThreads, type Message } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { opened, stores } from '../stores.ts';

describe.each(stores)('on %s', (_name, openStore) => {
  it('[S-REC-03] what is closed can be closed again and says so to every call; what is made anew goes on', async () => {
    const threadId = randomUUID();
    const checkpointer = openStore();
    const process = startProcess(checkpointer, [says('One.')]);
    const agent = process.agent(threadId);
    await agent.run('First');
    expect(await process.close()).toEqual({ unsaved: [] });
    expect(await process.close()).toEqual({ unsaved: [] });
    await expect(agent.run('Too late')).rejects.toMatchObject({ code: 'closed', threadId });
    await checkpointer.close();
    await checkpointer.close();
    await expect(createThreads(checkpointer).get(threadId)).rejects.toMatchObject({ code: 'closed' });
    const again = startProcess(opened(openStore), [says('One.'), says('Two.')]).agent(threadId);
    expect(await again.run('Second')).toMatchObject({ answer: 'Two.', durable: true });
    expect((await createThreads(opened(openStore)).get(threadId))?.history).toHaveLength(5);
  });

  it('[S-PER-05] a caller who hands over the whole conversation with every turn has each message stored once', async () => {
    const threadId = randomUUID();
    const answers = Array.from({ length: 10 }, (_, turn) => says(`answer ${turn}`));
    const process = startProcess(opened(openStore), answers);
    const threads = createThreads(opened(openStore));
    const held: Message[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      const content = `question ${turn}`;
      const { message } = await process.agent(threadId).run(content, { history: [...held] });
      held.push({ role: 'user', content }, message as Message);
    }
    const stored = lines((await threads.get(threadId))?.history)?.filter((line) => !line.startsWith('system'));
    expect(stored).toEqual(lines(held));
    expect(stored).toHaveLength(20);
  });
});
