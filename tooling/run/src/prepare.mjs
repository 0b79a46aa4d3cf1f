import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bringPnpm, pinnedPnpm } from './pnpm.mjs';
import { root } from './root.mjs';
import { step } from './step.mjs';

const stampFile = join(root, 'node_modules', '.agent-state-installed');

/** Afterwards pnpm, the tools and the dependencies are there. Costs next to nothing when they already were. */
export async function prepare() {
  await bringPnpm();
  process.env.PATH = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`;
  process.env.TURBO_TELEMETRY_DISABLED = '1';
  const stamp = installStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  await install();
  writeFileSync(stampFile, stamp);
}

async function install() {
  process.stderr.write('Installing dependencies …\n');
  // CI: an outdated node_modules is replaced without asking.
  const code = await step('pnpm', ['install', '--frozen-lockfile'], { quiet: true, env: { CI: 'true' } });
  if (code !== 0) throw new Error('the dependencies could not be installed');
}

/** What an installation depends on. Native packages make the machine a part of it. */
function installStamp() {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return `${hash.digest('hex')} pnpm-${pinnedPnpm()} ${process.platform}-${process.arch}\n`;
}
