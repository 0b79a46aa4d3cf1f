export type { FaultRates } from './faulty/chance.ts';
export type { Fault, FaultKind, FaultName, FaultyCall } from './faulty/fault.ts';
export { createFaultyCheckpointer, type FaultyCheckpointer, type FaultyOptions } from './faulty/faulty-checkpointer.ts';
export { createVirtualRuntime, type VirtualRuntime } from './testing/virtual-runtime.ts';
