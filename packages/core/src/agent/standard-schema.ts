/** The part of Standard Schema (standardschema.dev, version 1) that is used here. Valibot, Zod and ArkType have it. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Standard JSON Schema: what some libraries offer beside the check. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

/** The checked value, or the first issue as a sentence for whoever has to mend it. A schema that throws is an issue. */
export async function check<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
): Promise<{ readonly value: Output } | { readonly fault: string }> {
  try {
    const result = await schema['~standard'].validate(value);
    return result.issues ? { fault: sentence(result.issues) } : { value: result.value };
  } catch {
    return { fault: 'the schema itself failed' };
  }
}

function sentence([issue]: readonly StandardIssue[]): string {
  const path = (issue?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? 'not accepted'}`;
}
