/** A small file of recordings, made up, with what real ones do: ids that repeat, text beside calls, empty texts. */

type Message = Readonly<Record<string, unknown>>;

export const system = (content: string): Message => ({ role: 'system', content });
export const user = (content: unknown): Message => ({ role: 'user', content });
export const says = (content: string): Message => ({ role: 'assistant', content });

/** `asks(null, 'a look_up {"id":1}', …)`: the call's id, its tool, and the text of its arguments. */
export function asks(content: string | null, ...calls: readonly string[]): Message {
  const toolCalls = calls.map((call) => {
    const [id, name, ...args] = call.split(' ');
    return { id, type: 'function', function: { name, arguments: args.join(' ') } };
  });
  return { role: 'assistant', content, tool_calls: toolCalls };
}

export const gives = (id: string, content: string, name = 'look_up'): Message => ({
  role: 'tool',
  tool_call_id: id,
  name,
  content,
});

export const line = (id: string, ...messages: readonly Message[]): string => JSON.stringify({ id, messages });

/** Ends with the customer, who is not answered. */
export const unanswered = line(
  'unanswered',
  system('Be brief.'),
  user('Hello'),
  asks('Let me see.', 'a look_up {"id":  1}'),
  gives('a', ''),
  asks(null, 'a look_up {}', 'b book {"seat":"é"}'),
  gives('a', '{"n": 1}'),
  gives('b', 'Error: full', 'book'),
  says(''),
  user('Bye'),
);

/** Ends with a tool's result. */
export const unfinished = line('unfinished', system('Be brief.'), user('Hi'), asks('', 'a look_up '), gives('a', 'x'));

/** Ends with an answer, without a system message, and the customer speaks twice. */
export const answered = line('answered', user('One'), user([{ type: 'text', text: 'two' }]), says('Three'));

/** The assistant speaks first; two calls of one turn have the same id. */
export const twins = line(
  'twins',
  says('What can I do?'),
  user('Look twice'),
  asks(null, 'a look_up {"id":1}', 'a look_up {"id":1}'),
  gives('a', 'first'),
  gives('a', 'second'),
  user('Thanks'),
);

/** Stops inside a turn: of three calls one has its result. */
export const inside = line(
  'inside',
  user('Go'),
  asks(null, 'a look_up {"id":1}', 'b look_up {"id":2}', 'c look_up {"id":3}'),
  gives('b', 'of the second'),
);

export const all = [unanswered, unfinished, answered, twins, inside];
