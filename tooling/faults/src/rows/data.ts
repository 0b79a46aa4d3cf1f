import { row } from '../row.ts';

/** D. What is stored, and what models and tools hand over. */
export const dataRows = [
  row('D1', 'stored bytes are cut off or changed', 'redis'),
  row('D2', 'what is stored was written by a newer release'),
  row('D3', 'what is stored was written by an older release'),
  row('D4', 'a message, a history or the nesting is enormous'),
  row('D5', 'values hold what JSON does not carry, or carries in a surprising way', 'redis', 'mongo'),
  row('D6', 'keys are named as parts of every object (`__proto__`)'),
  row('D7', 'an object is changed after it was saved or loaded'),
  row(
    'D8',
    'the model repeats or omits call ids, names unknown tools, asks for hundreds at once, or garbles arguments',
  ),
  row('D9', 'secrets are near where errors and warnings are made'),
  row('D10', 'a tool or the model answers with what cannot be stored'),
  row('D11', 'the model uses a call id again'),
  row('D12', 'results, or the variables that they set, are too large', 'mongo'),
  row('D13', 'a thread holds messages of two schema versions', 'redis', 'mongo'),
];
