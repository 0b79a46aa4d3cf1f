import { conformance } from '../src/vitest.ts';
import { memoryTarget } from './memory-target.ts';

conformance(memoryTarget);
