export type { Fault } from '../faulty/fault.ts';
export {
  createFaultyCheckpointer as createFaulty,
  type FaultyCheckpointer as Faulty,
} from '../faulty/faulty-checkpointer.ts';
