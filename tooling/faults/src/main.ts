import { fileURLToPath } from 'node:url';
import { command } from './command.ts';

process.exitCode = await command(process.argv.slice(2), fileURLToPath(new URL('../../../', import.meta.url)));
