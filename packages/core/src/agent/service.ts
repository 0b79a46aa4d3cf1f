import type { Checkpointer } from '../protocol/checkpointer.ts';
import { AgentStateError } from '../protocol/errors.ts';
import { toMessage } from '../state/encode.ts';
import type { Message } from '../state/schema.ts';
import type { AgentInput, AgentService, ResumeOptions, RunOptions, ThreadStatus } from './api.ts';
import { assertResumeOptions, assertRunOptions } from './asked.ts';
import { closeDeadline } from './close-options.ts';
import type { AgentContext, Listen } from './context.ts';
import { runAborted } from './failures.ts';
import { isGenerated } from './record/inputs.ts';
import { resumeOn, runOn } from './run/run.ts';
import { isUnsaved } from './saving/hold.ts';
import { streamOf } from './stream.ts';

export function createAgentService(context: AgentContext, checkpointer: Checkpointer | undefined): AgentService {
  const { hub, threadId } = context;

  async function run(input: AgentInput, options: RunOptions, listen: Listen) {
    assertRunOptions(options);
    const message = inputMessage(input);
    assertInputId(options.inputId);
    const history = options.history?.map((part, index) => toMessage(part, `history[${index}]`));
    return inTurn(context, options.signal, () => runOn(context, { ...options, history, message, listen }));
  }

  async function resume(options: ResumeOptions, listen: Listen) {
    assertResumeOptions(options);
    return inTurn(context, options.signal, () => resumeOn(context, { ...options, listen }));
  }

  return Object.freeze<AgentService>({
    threadId,
    get checkpointer() {
      if (checkpointer) return checkpointer;
      throw new AgentStateError(
        'unsupported',
        'This agent has no store: it was made without a thread id or a checkpointer.',
      );
    },
    run: (input, options = {}) => run(input, options, undefined),
    stream(input, options = {}) {
      assertRunOptions(options);
      return streamOf(options.signal, (listen, signal) => run(input, { ...options, signal }, listen));
    },
    resume: (options = {}) => resume(options, undefined),
    resumeStream(options = {}) {
      assertResumeOptions(options);
      return streamOf(options.signal, (listen, signal) => resume({ ...options, signal }, listen));
    },
    status: () => statusOf(context),
    async close(options = {}) {
      await hub.settled(closeDeadline(options, 5_000), threadId);
      return { unsaved: hub.takeUnsaved(threadId) };
    },
  });
}

/** The job when the thread is free; a caller who gives up before that is not held up, and nothing is done. */
function inTurn<T>(
  { hub, threadId }: AgentContext,
  signal: AbortSignal | undefined,
  job: () => Promise<T>,
): Promise<T> {
  if (!signal) return hub.enqueue(threadId, job);
  return new Promise((resolve, reject) => {
    const leave = () => reject(runAborted(threadId));
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    const stay = () => signal.removeEventListener('abort', leave);
    const begin = async () => {
      stay();
      if (signal.aborted) throw runAborted(threadId);
      return job();
    };
    hub.enqueue(threadId, begin).then(resolve, reject).finally(stay);
  });
}

function inputMessage(input: AgentInput): Message {
  if (typeof input !== 'string' && !Array.isArray(input)) {
    throw new AgentStateError('invalid_argument', 'The input has to be text or an array of parts.', { path: 'input' });
  }
  return toMessage({ role: 'user', content: input }, 'input');
}

const maxInputIdLength = 256;

function assertInputId(inputId: unknown): void {
  if (inputId === undefined) return;
  const isText = typeof inputId === 'string' && inputId !== '' && inputId.length <= maxInputIdLength;
  if (isText && inputId.isWellFormed() && !isGenerated(inputId)) return;
  const message = `An input id is text of 1 to ${maxInputIdLength} characters that does not begin with ~.`;
  throw new AgentStateError('invalid_argument', message, { path: 'inputId' });
}

function statusOf({ hub, threadId }: AgentContext): ThreadStatus {
  const hold = hub.holds.get(threadId);
  return {
    running: hold?.running ?? false,
    durable: hold === undefined || !isUnsaved(hold),
    volatile: hold?.volatile ?? false,
    unsavedSteps: hold ? hold.steps.length - hold.baseSteps : 0,
  };
}
