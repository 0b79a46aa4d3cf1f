import { conform } from '../test/conform.ts';
import { ownCluster } from '../test/servers.ts';
import { byIoredisCluster, byNodeRedisCluster } from '../test/variants.ts';

const masters = await ownCluster();
conform(byIoredisCluster, masters);
conform(byNodeRedisCluster, masters);
