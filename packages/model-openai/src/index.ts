export { openAiModelBackend } from './backend.ts';
export { createOpenAiModel } from './model.ts';
export type { OpenAiModelOptions } from './options.ts';
