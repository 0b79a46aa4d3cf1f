import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool, describeTool, isUndescribed, type Tool, toolRegistry } from './tool.ts';

const schema = v.object({ order: v.string() });
const described = { type: 'object', properties: { order: { type: 'string' } } };
const base = { name: 'refund', description: 'Pays back.', execute: () => null };

describe('what the model is told of a tool', () => {
  it('is its JSON Schema', () => {
    expect(describeTool({ ...base, parameters: described }).parameters).toEqual(described);
    expect(isUndescribed({ ...base, parameters: described })).toBe(false);
  });

  it('is the jsonSchema beside a Standard Schema', () => {
    const tool: Tool = { ...base, parameters: schema, jsonSchema: described };
    expect(describeTool(tool).parameters).toEqual(described);
    expect(isUndescribed(tool)).toBe(false);
  });

  it('is what the schema library makes of it, where it does', () => {
    const standard = { ...schema['~standard'], jsonSchema: { input: () => described } };
    const tool: Tool = { ...base, parameters: { '~standard': standard } as Tool['parameters'] };
    expect(describeTool(tool).parameters).toEqual(described);
    expect(isUndescribed(tool)).toBe(false);
  });

  it('is only that they are an object, where there is nothing: worth a warning', () => {
    const tool: Tool = { ...base, parameters: schema };
    expect(describeTool(tool).parameters).toEqual({ type: 'object' });
    expect(isUndescribed(tool)).toBe(true);
  });
});

it('a registry takes tools of any arguments and variables', () => {
  interface Variables {
    refunded: string;
  }
  const refund = defineTool<{ order: string }, Variables>({
    ...base,
    parameters: schema,
    execute({ order }, { variables }) {
      variables.set('refunded', order);
    },
  });
  expect(toolRegistry([refund]).has('refund')).toBe(true);
});
