/**
 * The places in a text that match, as `path:line`.
 * @param {import('./repository.mjs').File} file
 * @param {RegExp} pattern
 */
export function places({ path, text }, pattern) {
  return text.split('\n').flatMap((line, index) => {
    const match = line.match(pattern);
    return match ? [{ at: `${path}:${index + 1}`, found: match[0].trim() }] : [];
  });
}
