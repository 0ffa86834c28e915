// Selects the fields of an error for the log. Libraries add other fields, which can contain
// secrets: an S3 store repeats the session token of a request, and PostgreSQL the values of a row.

type Fields = Record<string, unknown>;

/** The limit for nested errors, which can contain each other. */
const depthMax = 5;

export function errorFields(error: unknown, depth = 0): unknown {
  if (typeof error !== 'object' || error === null) return error;
  if (depth === depthMax) return undefined;
  const { name, message, stack, code, status, cause, errors } = error as Fields;
  const type = error.constructor?.name;
  const inner = (value: unknown) => errorFields(value, depth + 1);
  return {
    type,
    ...(name === type ? {} : { name: textOf(name) }),
    message: textOf(message),
    stack: textOf(stack),
    code: textOf(code),
    status: textOf(status ?? responseStatusOf(error)),
    cause: inner(cause),
    errors: Array.isArray(errors) ? errors.map(inner) : undefined,
  };
}

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? value : undefined;

function responseStatusOf(error: object): unknown {
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  return (metadata as { httpStatusCode?: unknown } | undefined)?.httpStatusCode;
}
