#!/usr/bin/env node
// The repository's commands, on a machine with nothing but Node.js and npm:
//   node tooling/run/run.mjs <command> [arguments]
import { commands } from './src/commands.mjs';
import { needNode } from './src/need-node.mjs';
import { prepare } from './src/prepare.mjs';

const [name = '', ...args] = process.argv.slice(2);
const command = commands[name];

if (command === undefined) {
  process.stderr.write(`usage: run.mjs <${Object.keys(commands).join('|')}> [arguments]\n`);
  process.exitCode = 2;
} else {
  try {
    needNode();
    await prepare();
    process.exitCode = await command(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
