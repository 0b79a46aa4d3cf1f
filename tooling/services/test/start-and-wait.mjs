// Starts a server, says where, and waits to be ended. Run by plain Node, hence through Vite, which reads TypeScript.
import { runnerImport } from 'vite';

const { module } = await runnerImport(new URL('../src/index.ts', import.meta.url).pathname);
const redis = await module.startRedis();
if (process.argv[2] === 'frozen') redis.freeze();
process.stdout.write(`${JSON.stringify({ port: redis.port, dir: redis.dir })}\n`);
setInterval(() => {}, 1000);
process.on('SIGUSR2', () => process.exit(0));
