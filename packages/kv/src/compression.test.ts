import { gunzipSync, gzipSync } from 'node:zlib';
import { Keyv } from 'keyv';
import { expect, test } from 'vitest';
import { createKvCheckpointer } from './checkpointer.ts';

const compression = {
  compress: async (value: string) => gzipSync(value).toString('base64'),
  decompress: async (value: string) => gunzipSync(Buffer.from(value, 'base64')).toString(),
};
const text = '漢字 é 😀 עברית \u0000 \u2028';

test('[S-UNI-01] texts of all scripts come back exactly through a Keyv that compresses', async () => {
  const map = new Map<string, unknown>();
  const store = createKvCheckpointer({ keyv: new Keyv(map, { compression, throwOnErrors: true }) });
  const call = {
    id: text,
    type: 'function' as const,
    function: { name: 'look_up', arguments: JSON.stringify({ text }) },
  };
  const history = [
    { role: 'user' as const, content: text },
    { role: 'assistant' as const, content: null, metadata: { tool_calls: [call] } },
  ];
  const variables = { [text]: text };
  await store.save('t', { state: { history, variables } });
  expect(JSON.stringify([...map])).not.toContain('漢字');
  expect(await store.load('t')).toMatchObject({ found: true, state: { history, variables } });
});
