import type { Row } from './row.ts';
import { concurrencyRows } from './rows/concurrency.ts';
import { dataRows } from './rows/data.ts';
import { hostRows } from './rows/host.ts';
import { mongoRows } from './rows/mongo.ts';
import { processRows } from './rows/process.ts';
import { redisRows } from './rows/redis.ts';
import { sqliteRows } from './rows/sqlite.ts';

/** Every fault that has to be shown, in the order of the documents. */
export const rows: readonly Row[] = [
  ...processRows,
  ...redisRows,
  ...mongoRows,
  ...dataRows,
  ...concurrencyRows,
  ...hostRows,
  ...sqliteRows,
];
