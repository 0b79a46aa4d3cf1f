/** The part of Standard Schema (standardschema.dev, version 1) that is used here. Valibot, Zod and ArkType have it. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
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

/** The checked value, or the first issue as a sentence for whoever has to mend it. */
export async function check<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
): Promise<{ readonly value: Output } | { readonly fault: string }> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return { value: result.value };
  const [issue] = result.issues;
  const path = (issue?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return { fault: `${path === '' ? '' : `${path}: `}${issue?.message ?? 'not accepted'}` };
}
