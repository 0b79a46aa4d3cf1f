import { conform } from '../test/conform.ts';
import { ownRedis } from '../test/servers.ts';
import { byIoredis, byNodeRedis } from '../test/variants.ts';

const redis = await ownRedis();
conform(byNodeRedis, redis && [redis]);
conform(byIoredis, redis && [redis]);
