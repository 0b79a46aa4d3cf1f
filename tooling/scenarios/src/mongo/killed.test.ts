import type { MongoServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { startProcess, told } from '../agent.ts';
import { deadlines, longestMs } from '../deadlines.ts';
import { comeBack, runInto, surviveInOneSave } from '../volatile-run.ts';
import { open, openGiven, ownMongo } from './support.ts';

const mongo = await ownMongo();

describe.skipIf(!mongo)('a MongoDB that is killed', () => {
  const server = mongo as MongoServer;
  const killed = { breakIt: () => server.kill(), mend: () => server.start() };

  it('[C1] in the middle of a run is an outage, and gets all that it missed in one save when it is back', async () => {
    await surviveInOneSave({ open: () => open(server), ...killed });
  });

  it('[C1] holds nobody up longer than the deadlines, though the driver by itself looks for it for thirty seconds', async () => {
    const driversOwn = { serverSelectionTimeoutMS: 30_000, connectTimeoutMS: 30_000, socketTimeoutMS: 0 };
    const openPatient = () => openGiven(server.url, { ...driversOwn, heartbeatFrequencyMS: 500 }).checkpointer;
    const outage = await runInto({ open: openPatient, ...killed });
    await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  });

  it('[C1] before a thread is loaded: a run that must not begin in memory throws within the deadlines', async () => {
    const checkpointer = open(server);
    await checkpointer.load('warm');
    await server.kill();
    const { agent } = startProcess(checkpointer, [], [], deadlines);
    const begun = performance.now();
    await expect(agent('t').resume()).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - begun).toBeLessThan(longestMs + 2_000);
    await server.start();
  });
});
