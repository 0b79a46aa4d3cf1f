import { defineConfig } from 'vitest/config';
export default defineConfig({
  root: '/tmp/core/packages/core',
  ssr: { resolve: { conditions: ['@agent-state/source', 'module', 'node', 'development|production'] } },
  test: { include: ['src/**/*.test.ts'], testTimeout: 30000, maxWorkers: 2 },
});
