import * as core from '@agent-state/core';
import { noStats, addStats } from './stats.ts';
import { simulate } from './simulate.ts';
const [from = '1', count = '100', trace] = process.argv.slice(2);
const sum = noStats(); let broken = 0; const by: Record<string, number[]> = {};
const t = process.cpuUsage();
for (let seed = +from; seed < +from + +count; seed++) {
  const r = await simulate(core, seed, trace ? { trace: (l) => console.log(l) } : {});
  addStats(sum, r.stats);
  if (r.broken.length) { broken++; const b = r.broken[0]!; (by[b.rule + ' ' + b.what.replace(/[\w~.-]*\d[\w~.-]*/g, '#').slice(0, 90)] ??= []).push(seed); }
  await new Promise((r) => setImmediate(r));
}
console.log(sum, 'broken', broken, 'cpu/seed ms', process.cpuUsage(t).user / 1000 / +count);
for (const [k, v] of Object.entries(by).sort((a,b)=>b[1].length-a[1].length)) console.log(v.length, k, v.slice(0, 6).join(','));
