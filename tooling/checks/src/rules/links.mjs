import { posix } from 'node:path';

/** `[text](target)`, not inside a code block; addresses and anchors are somebody else's. */
const link = /\[[^\]]*\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g;

/**
 * A promise that links a test links one that is there.
 * @param {import('../repository.mjs').Repository} repository
 */
export const links = ({ files }) => {
  const paths = new Set(files.flatMap(({ path }) => withFolders(path)));
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(link)]
        .map(([, target = '']) => target)
        .filter((target) => !paths.has(posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, '')))
        .map((target) => `${path} links ${target}, which is not in the repository: a reader finds nothing there`),
    );
};

/** @param {string} path */
const withFolders = (path) => path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));

/** @param {string} text */
const withoutCode = (text) => text.replace(/```[\s\S]*?```/g, '');
