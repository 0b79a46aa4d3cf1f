import { changes } from './cases/changes.ts';
import { concurrency } from './cases/concurrency.ts';
import { contract } from './cases/contract.ts';
import { deletes } from './cases/deletes.ts';
import { expiry } from './cases/expiry.ts';
import { ids } from './cases/ids.ts';
import { isolation } from './cases/isolation.ts';
import { lifecycle } from './cases/lifecycle.ts';
import { listing } from './cases/listing.ts';
import { paging } from './cases/paging.ts';
import { pauseQueries } from './cases/pause-queries.ts';
import { positions } from './cases/positions.ts';
import { queries } from './cases/queries.ts';
import { references } from './cases/references.ts';
import { refusedValues } from './cases/refused-values.ts';
import { resultsAhead } from './cases/results-ahead.ts';
import { sizes } from './cases/sizes.ts';
import { steps } from './cases/steps.ts';
import { tombstones } from './cases/tombstones.ts';
import { values } from './cases/values.ts';
import { variableQueries } from './cases/variable-queries.ts';

/** The whole suite. */
export const cases = Object.freeze([
  ...contract,
  ...positions,
  ...changes,
  ...resultsAhead,
  ...steps,
  ...values,
  ...refusedValues,
  ...references,
  ...isolation,
  ...ids,
  ...concurrency,
  ...deletes,
  ...tombstones,
  ...expiry,
  ...sizes,
  ...listing,
  ...paging,
  ...queries,
  ...variableQueries,
  ...pauseQueries,
  ...lifecycle,
]);

export type CaseId = (typeof cases)[number]['id'];
