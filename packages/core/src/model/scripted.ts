import { AgentStateError } from '../protocol/errors.ts';
import type { Model, ModelAnswer, ModelRequest } from './model.ts';

/** What a scripted model says next: an answer, or a function of the request that gives one. */
export type ScriptedTurn = ModelAnswer | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>);

/**
 * A model that follows a script, for tests and demonstrations. The turn is chosen by how many assistant messages the
 * history has, so a process that resumes goes on at the right place.
 */
export function createScriptedModel(turns: readonly ScriptedTurn[], name = 'scripted'): Model {
  return Object.freeze({
    name,
    async generate(request: ModelRequest): Promise<ModelAnswer> {
      request.signal.throwIfAborted();
      const turn = turns[request.messages.filter((message) => message.role === 'assistant').length];
      if (turn === undefined) throw new AgentStateError('model', 'The script has no further turn.');
      const answer = typeof turn === 'function' ? await turn(request) : turn;
      if (typeof answer.content === 'string' && answer.content !== '') request.onText?.(answer.content);
      return answer;
    },
  });
}
