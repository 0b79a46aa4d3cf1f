import Database from 'libsql';
import { expect, it } from 'vitest';
import { createSqliteCheckpointer } from './checkpointer.ts';

const message = (content: string) => ({ role: 'user' as const, content });

function opened() {
  const database = new Database(':memory:');
  const texts = () =>
    (database.prepare('select idx, text from agent_checkpoints_messages order by idx').all() as { text: string }[]).map(
      ({ text }) => (JSON.parse(text.slice(1)) as { content: string }).content,
    );
  return { database, texts, checkpointer: createSqliteCheckpointer({ database }) };
}

it('keeps nothing of a history that was replaced by a shorter one', async () => {
  const { texts, checkpointer } = opened();
  const base = await checkpointer.save('thread', { state: { history: [message('a'), message('b'), message('c')] } });
  await checkpointer.save('thread', { state: { history: [message('d')] }, base });
  expect(texts()).toEqual(['d']);
});

it('writes the rows that are new, and none that is stored', async () => {
  const { database, texts, checkpointer } = opened();
  const history = [message('a'), message('b')];
  const base = await checkpointer.save('thread', { state: { history } });
  database.exec(`create table written (idx integer);
    create trigger seen after insert on agent_checkpoints_messages begin insert into written values (new.idx); end`);
  const state = { history: [...history, message('c')] };
  await checkpointer.save('thread', { state, base, appendedFrom: 2 });
  expect(texts()).toEqual(['a', 'b', 'c']);
  expect(database.prepare('select idx from written').all()).toMatchObject([{ idx: 2 }]);
});
