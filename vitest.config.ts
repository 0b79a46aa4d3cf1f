import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** One project a package, so that a failing line names the package; each resolves our packages to their sources. */
const projects = ['packages', 'apps', 'tooling'].flatMap((folder) =>
  readdirSync(new URL(folder, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({
      ssr: { resolve: { conditions: ['@agent-state/source', 'module', 'node', 'development|production'] } },
      test: {
        name: entry.name,
        include: [`${folder}/${entry.name}/{src,test}/**/*.test.{ts,mjs}`],
        testTimeout: 30_000,
        hookTimeout: 120_000,
      },
    })),
);

export default defineConfig({
  test: {
    projects,
    maxWorkers: 2,
    // Real servers, started once for the whole run.
    globalSetup: './tooling/services/src/vitest.ts',
    reporters: ['default', './tooling/run/reporter.mjs'],
  },
});
