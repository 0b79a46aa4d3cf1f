import { aim } from './aim.ts';
import type { Core } from './core.ts';
import { createWorld, type WorldOptions } from './create-world.ts';
import { planDisasters } from './disasters.ts';
import { closeAll, goOn, heal } from './ending.ts';
import { type Mode, modeOf } from './modes.ts';
import { planOperators } from './operators.ts';
import { createPlan } from './plan.ts';
import type { Broken } from './scene.ts';
import type { Stats } from './stats.ts';
import { planTrouble } from './trouble.ts';
import { planUsers } from './users.ts';
import { judge } from './verdict.ts';

export interface Report {
  readonly seed: number;
  readonly mode: Mode;
  readonly broken: readonly Broken[];
  readonly stats: Stats;
}

export interface SimulateOptions extends Pick<WorldOptions, 'trace' | 'storeRules'> {
  readonly mode?: Mode | undefined;
}

/** One seed: a world of its own, from its beginning to the verdict. */
export async function simulate(core: Core, seed: number, options: SimulateOptions = {}): Promise<Report> {
  const { mode = modeOf(seed), ...rest } = options;
  const world = createWorld({ seed, mode, core, ...rest });
  const plan = createPlan(world);
  planUsers(world, plan);
  planOperators(world, plan);
  planTrouble(world, plan);
  planDisasters(world, plan);
  aim(world);
  try {
    await heal(world, plan);
    await goOn(world, plan);
    await closeAll(world, plan);
    judge(world, plan);
  } catch (error) {
    world.broken('end', String(error));
  }
  world.stats.events = world.scheduler.events();
  return { seed, mode, broken: world.brokenRules, stats: world.stats };
}
