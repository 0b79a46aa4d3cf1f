import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { says, startProcess } from '../agent.ts';
import { openFile, ownFile } from './files.ts';

/** A database with a thread, as its last process left it. */
async function withThread(path: string): Promise<Buffer> {
  const checkpointer = openFile(path);
  await startProcess(checkpointer, [says('One.')])
    .agent('t')
    .run('First');
  await checkpointer.close();
  return readFileSync(path);
}

const damages: readonly (readonly [name: string, damage: (sound: Buffer) => Buffer])[] = [
  ['text in the place of the file', () => Buffer.from('this is no database. '.repeat(400))],
  ['a short text in the place of the file', () => Buffer.from('xy')],
  ['text over the header', (sound) => Buffer.concat([Buffer.from('text over the header'), sound.subarray(20)])],
  ['zeros over the header', (sound) => Buffer.concat([Buffer.alloc(100), sound.subarray(100)])],
  [
    'text over the first page',
    (sound) => Buffer.concat([sound.subarray(0, 100), Buffer.alloc(3_996, 'x'), sound.subarray(4_096)]),
  ],
];

it.each(damages)(
  '[G4] %s is corrupt to run, resume, load, save and delete, and the file stays as it is',
  async (_name, damage) => {
    const sound = await withThread(ownFile().path);
    const { path } = ownFile();
    const damaged = damage(sound);
    writeFileSync(path, damaged);
    const checkpointer = openFile(path);
    const process = startProcess(checkpointer, [says('From scratch.')]);
    const corrupt = { code: 'corrupt' };
    await expect(process.agent('t').run('Second')).rejects.toMatchObject(corrupt);
    await expect(process.agent('t').resume()).rejects.toMatchObject(corrupt);
    await expect(process.agent('new').run('Hi')).rejects.toMatchObject(corrupt);
    await expect(checkpointer.load('t')).rejects.toMatchObject(corrupt);
    await expect(checkpointer.save('t', { state: { history: [] } })).rejects.toMatchObject(corrupt);
    await expect(checkpointer.delete('t')).rejects.toMatchObject(corrupt);
    await checkpointer.close();
    expect(process.events.some(({ type }) => type === 'volatile')).toBe(false);
    expect(readFileSync(path).equals(damaged)).toBe(true);
  },
);
