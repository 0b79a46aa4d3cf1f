/** Every way in which a module names another one. */
const forms = [
  /\b(?:import|export)\b[^'";]*?\bfrom\s*(['"])(.+?)\1/g,
  /^\s*import\s*(['"])(.+?)\1/gm,
  /\bimport\s*\(\s*(['"])(.+?)\1\s*\)/g,
  /\brequire\s*\(\s*(['"])(.+?)\1\s*\)/g,
];

/**
 * The modules that a source text names.
 * @param {string} text
 * @returns {string[]}
 */
export function importsOf(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...new Set(forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[2])))];
}

/**
 * `@scope/name/sub` → `@scope/name`
 * @param {string} specifier
 */
export const packageName = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/**
 * The short name of one of our own packages, or undefined.
 * @param {string} specifier
 */
export const ownName = (specifier) => packageName(specifier).match(/^@agent-state\/(.+)$/)?.[1];
