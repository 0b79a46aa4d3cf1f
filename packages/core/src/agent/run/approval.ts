import type { Tool } from '../tool.ts';
import { parseArguments } from './call-tool.ts';

/**
 * Whether a person has to approve the call first. It is asked with the arguments that the tool would get. Those that are refused need none: the call will not run. A
 * question that throws, or is not answered with no, is answered with yes.
 */
export async function needsApproval(tool: Tool | undefined, text: string): Promise<boolean> {
  const needs = tool?.needsApproval;
  if (!tool || typeof needs !== 'function') return needs === true;
  try {
    const parsed = await parseArguments(tool, text);
    return 'value' in parsed && (await needs(parsed.value)) !== false;
  } catch {
    return true;
  }
}
