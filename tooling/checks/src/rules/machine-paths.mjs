import { places } from '../lines.mjs';

/** Absolute paths into somebody's machine: working folders, homes, temporary folders. */
const machinePath = new RegExp(`(?<![\\w.$}~-])/(?:${['work', 'root', 'home', 'Users', 'tmp'].join('|')})/[\\w.-]+`);

/** Recorded conversations may speak of any path. */
const recorded = /\.(jsonl|ndjson)$/;

/**
 * @param {import('../repository.mjs').Repository} repository
 */
export const machinePaths = ({ files }) =>
  files
    .filter(({ path }) => !recorded.test(path) && path !== 'pnpm-lock.yaml')
    .flatMap((file) => places(file, machinePath))
    .map(({ at, found }) => `${at} has ${found}: a path of one machine is wrong on every other`);
