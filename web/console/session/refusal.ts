/** An error in the service's words that came otherwise than by Connect: as RFC 9457 has it. */
export type RefusedField = { readonly field: string; readonly detail: string };

export type RefusalFacts = {
  /** The code of the service's catalogue; undefined where the answer is not the service's. */
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  readonly fields?: readonly RefusedField[];
};

export class Refusal extends Error {
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly fields: readonly RefusedField[];

  constructor(message: string, { code, requestId, fields = [] }: RefusalFacts) {
    super(message);
    this.code = code;
    this.requestId = requestId;
    this.fields = fields;
  }
}

/** Reads an answer that is an error. Something before the service, such as a proxy, may answer. */
export function refusalOf(status: number, body: string): Refusal {
  const problem = membersOf(parsed(body));
  const { detail, code, request_id: requestId, errors } = problem;
  if (typeof detail !== 'string' || typeof code !== 'string') {
    return new Refusal(`The answer was ${status}, and not in the service’s own words.`, {});
  }
  return new Refusal(detail, {
    code,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    fields: Array.isArray(errors) ? errors.map(membersOf).flatMap(fieldOf) : [],
  });
}

function fieldOf({ field, detail }: Record<string, unknown>): RefusedField[] {
  return typeof field === 'string' && typeof detail === 'string' ? [{ field, detail }] : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
