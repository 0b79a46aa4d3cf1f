import { fileURLToPath } from 'node:url';
import { victimArgument } from './kill/run-victim.ts';

// What only one of the two needs is loaded by that one: a process that is to be killed has to start fast.
const args = process.argv.slice(2);
if (args[0] === victimArgument && args.length === 1) {
  const { beVictim } = await import('./kill/victim.ts');
  await beVictim();
} else {
  const { command } = await import('./command.ts');
  process.exitCode = await command(args, fileURLToPath(import.meta.url));
}
