#!/usr/bin/env node
import { longFiles } from './src/long-files.mjs';
// Checks the rules of the repository that no compiler or linter knows.
import { readRepository } from './src/repository.mjs';
import { rules } from './src/rules.mjs';

const repository = readRepository();
for (const note of longFiles(repository)) process.stdout.write(`note: ${note}\n`);

const violations = rules.flatMap((rule) => rule(repository));
for (const violation of violations) process.stderr.write(`${violation}\n`);
process.stdout.write(`${rules.length} rules, ${repository.files.length} files, ${violations.length} violations\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
