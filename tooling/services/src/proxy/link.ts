import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gate } from './gate.ts';
import type { Aimed } from './shot.ts';

/** Replies in pieces of so many bytes, with a pause after each. */
export interface Drip {
  readonly bytes: number;
  readonly ms: number;
}

/** What a connection asks of the proxy it belongs to. */
export interface LinkHooks {
  readonly gate: Gate;
  /** A request is about to be forwarded; the answer is the fault that is meant for it. */
  onRequest(request: Buffer): Aimed | undefined;
  onReply(reply: Buffer): void;
  drip(): Drip | undefined;
}

/** One client's connection and its counterpart at the target. */
export interface Link {
  /** The client sees ECONNRESET. */
  reset(): void;
}

export function openLink(client: Socket, targetPort: number, hooks: LinkHooks): Link {
  const target = createConnection({ port: targetPort, host: '127.0.0.1', noDelay: true });
  client.setNoDelay(true);
  // Connections are broken here on purpose; whoever is behind them sees it.
  for (const socket of [client, target]) socket.on('error', () => {});
  const reset = () => {
    client.resetAndDestroy();
    target.destroy();
  };
  client.on('close', () => target.destroy());
  target.on('close', () => client.destroySoon());
  let aimed: Aimed | undefined;
  const request = async (bytes: Buffer) => {
    const shot = hooks.onRequest(bytes);
    if (shot?.effect.kind === 'reset') return hit(shot, reset);
    if (shot?.effect.kind === 'hold') {
      shot.fire();
      await shot.effect.until;
    } else aimed = shot ?? aimed;
    target.write(bytes);
  };
  const reply = async (bytes: Buffer) => {
    hooks.onReply(bytes);
    if (aimed) aimed = spoil(aimed, bytes, client, reset);
    else await forward(client, bytes, hooks.drip());
  };
  pump(client, target, hooks.gate, request).catch(reset);
  pump(target, client, hooks.gate, reply).catch(reset);
  return { reset };
}

/** Hands on what one side says, piece by piece in order, and then that it has ended. */
async function pump(from: Socket, to: Socket, gate: Gate, pass: (bytes: Buffer) => Promise<void>): Promise<void> {
  for await (const bytes of from.iterator({ destroyOnReturn: false })) {
    await gate.passable();
    await pass(bytes);
  }
  to.end();
}

function hit(shot: Aimed, reset: () => void): void {
  reset();
  shot.fire();
}

/** A reset that overtakes bytes not yet read looks like an orderly end to the client. */
const readTime = 20;

/** Does to a reply what the shot says; returns what is still to be done to the next piece of it. */
function spoil(shot: Aimed, reply: Buffer, client: Socket, reset: () => void): Aimed | undefined {
  if (shot.effect.kind === 'replace' || shot.effect.kind === 'pass') {
    client.write(shot.effect.kind === 'replace' ? shot.effect.reply : reply, shot.fire);
    return undefined;
  }
  const allowed = shot.effect.kind === 'cut' ? shot.effect.bytes : 0;
  const passed = reply.subarray(0, allowed);
  const cut = { kind: 'cut', bytes: allowed - passed.length } as const;
  if (passed.length > 0) client.write(passed);
  if (cut.bytes === 0) setTimeout(hit, passed.length > 0 ? readTime : 0, shot, reset);
  return { effect: cut, fire: shot.fire };
}

async function forward(client: Socket, reply: Buffer, drip: Drip | undefined): Promise<void> {
  if (drip === undefined) {
    client.write(reply);
    return;
  }
  for (let at = 0; at < reply.length && !client.destroyed; at += drip.bytes) {
    client.write(reply.subarray(at, at + drip.bytes));
    await sleep(drip.ms);
  }
}
