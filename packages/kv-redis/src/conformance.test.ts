import { conform } from '../test/conform.ts';
import { ownRedis } from '../test/servers.ts';
import { byUrl } from '../test/variants.ts';

const redis = await ownRedis();
conform(byUrl, redis && [redis]);
