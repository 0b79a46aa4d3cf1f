export { type Bundle, bundleSources } from './child/bundle-sources.ts';
export { type Script, startScript } from './child/start-script.ts';
