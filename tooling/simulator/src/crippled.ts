import { cripple } from './cripple.ts';
import type { Options } from './options.ts';
import { batchesOf, runBatches } from './pool.ts';
import { type Variant, variants } from './variants.ts';

/** So many seeds have to break before a variant counts as caught, within at most so many. */
const wanted = 3;

interface Caught {
  readonly seeds: readonly { readonly seed: number; readonly rule: string }[];
  readonly tried: number;
}

/** Every variant has to be caught. */
export async function searchVariants({ from, seeds }: Options, say: (text: string) => void): Promise<number> {
  let missed = 0;
  for (const variant of variants) {
    const { seeds: caught, tried } = await search(variant, from, seeds);
    const told = caught.map(({ seed, rule }) => `${seed} (${rule})`).join(', ');
    if (caught.length === 0) missed += 1;
    say(`${caught.length > 0 ? 'caught' : 'MISSED'}: ${variant.name}; ${tried} seeds in mode ${variant.mode}: ${told}`);
  }
  say(`${variants.length} variants, ${missed} missed`);
  return missed > 0 ? 1 : 0;
}

async function search({ name, mode, edits }: Variant, from: number, seeds: number): Promise<Caught> {
  const copy = edits && cripple(edits);
  const caught: { seed: number; rule: string }[] = [];
  let tried = 0;
  try {
    await runBatches(batchesOf(from, seeds, { mode, crippled: { url: copy?.url, name } }), (reports) => {
      tried += reports.length;
      for (const { seed, broken } of reports) if (broken[0]) caught.push({ seed, rule: broken[0].rule });
      return caught.length >= wanted ? 'enough' : undefined;
    });
  } finally {
    copy?.remove();
  }
  return { seeds: caught, tried };
}
