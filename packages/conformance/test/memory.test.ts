import { memoryTarget } from './memory-target.ts';
import { conformance } from '../src/vitest.ts';

conformance(memoryTarget);
