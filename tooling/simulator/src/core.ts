/** What a world is made of: the product, or a crippled copy of it. */
export type Core = Pick<
  typeof import('@agent-state/core'),
  'createAgentFactory' | 'createThreads' | 'defineCheckpointer'
>;
