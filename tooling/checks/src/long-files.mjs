import { isSource, isTest } from './repository.mjs';

const limit = 300;

/**
 * Named, not refused: whether there is a second thing in it is for a person to see.
 * @param {import('./repository.mjs').Repository} repository
 */
export const longFiles = ({ files }) =>
  files
    .filter(({ path }) => isSource(path) && !isTest(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > limit)
    .map(({ path, lines }) => `${path} has ${lines} lines: look for the second thing in it`);
