import { randomUUID } from 'node:crypto';
import { freePort, type RedisServer } from '@agent-state/services';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { says, startProcess } from '../agent.ts';
import { expectQuiet } from '../troubled.ts';
import { comeBack, runInto } from '../volatile-run.ts';
import { open, ownRedis } from './support.ts';

// A bus port of its own: by default it is 10,000 above the server's, among the ports of outgoing connections.
const busPort = await freePort();
const first = await ownRedis('--cluster-enabled', 'yes', '--cluster-port', String(busPort));
const second = await ownRedis('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()));

describe.skipIf(!first || !second)('two nodes of a cluster, and a plain client of one of them', () => {
  const [mine, theirs] = [first as RedisServer, second as RedisServer];
  const cluster = (...args: string[]) => mine.command('CLUSTER', ...args);
  const idOf = async (node: RedisServer) => String(await node.command('CLUSTER', 'MYID'));

  beforeAll(async () => {
    await cluster('ADDSLOTSRANGE', '0', '16383');
    await theirs.command('CLUSTER', 'MEET', '127.0.0.1', String(mine.port), String(busPort));
    const known = new RegExp(`^${await idOf(theirs)} .* connected`, 'm');
    const isWhole = async () => {
      expect(await cluster('NODES')).toMatch(known);
      expect(await cluster('INFO')).toContain('cluster_state:ok');
    };
    await vi.waitFor(isWhole, { timeout: 20_000 });
  });

  /** An outage while the slot of the thread that is running is not this node's. */
  async function outageOfSlot(give: (slot: string) => Promise<unknown>, takeBack: (slot: string) => Promise<unknown>) {
    let slot = '';
    await mine.command('FLUSHALL');
    return runInto({
      open: () => open(mine),
      async breakIt() {
        const [key] = (await mine.command('KEYS', '*')) as string[];
        slot = String(await cluster('KEYSLOT', String(key)));
        await cluster('DELSLOTS', slot);
        await give(slot);
      },
      mend: () => takeBack(slot),
    });
  }

  it('[B25] a slot that nobody serves any more (CLUSTERDOWN) is an outage of its thread in mid-run', async () => {
    const outage = await outageOfSlot(
      async () => {},
      (slot) => cluster('ADDSLOTS', slot),
    );
    expect(outage.process.warnings[0]?.fields).toMatchObject({ cause: expect.stringMatching('CLUSTERDOWN') });
    await comeBack(outage);
  });

  it('[B25] a slot that moved to another node (MOVED) is an outage as well, and the warning names the cluster client', async () => {
    const [me, them] = [await idOf(mine), await idOf(theirs)];
    const outage = await outageOfSlot(
      (slot) => cluster('SETSLOT', slot, 'NODE', them),
      (slot) => cluster('SETSLOT', slot, 'NODE', me),
    );
    expect(outage.process.warnings[0]?.fields).toMatchObject({ cause: expect.stringMatching('MOVED.*cluster client') });
    await comeBack(outage);
  });

  it('[B25] a plain client of one of two nodes with slots is a configuration error that names the cluster client', async () => {
    // Nobody tells others that he has given slots up: each node has to be told.
    for (const node of [mine, theirs]) await node.command('CLUSTER', 'DELSLOTSRANGE', '0', '8191');
    await theirs.command('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
    await expect.poll(() => cluster('INFO'), { timeout: 20_000 }).toContain('cluster_size:2');
    const process = startProcess(open(mine), [says('Never said.')]);
    for (const threadId of [randomUUID(), randomUUID()]) {
      await expect(process.agent(threadId).run('Go')).rejects.toMatchObject({
        code: 'configuration',
        path: 'client',
        message: expect.stringMatching(/createCluster.*Cluster/),
      });
    }
    expectQuiet(process);
    expect(process.events).toEqual([]);
  });
});
