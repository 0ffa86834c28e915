// Classifies the errors of PostgreSQL and of connections to it. Marks them, because a reset of the
// caller's connection has the same error code and must not be mistaken for one of them.

const fromPostgres = new WeakSet<object>();
/** Errors of opening a connection. Whatever the cause, the server cannot be used. */
const connecting = new WeakSet<object>();

/**
 * Classes and codes of SQLSTATE that mean that the server is unreachable, busy, stopping, or has
 * failed over. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const awayStates = [
  '08', // connection_exception
  '25006', // read_only_sql_transaction: the server has become a standby
  '25P03', // idle_in_transaction_session_timeout: this process was stopped for too long
  '40003', // statement_completion_unknown
  '53', // insufficient_resources
  '55P03', // lock_not_available: another transaction has held the lock for too long
  '57014', // query_canceled: by a timeout of the server or by its operator
  '57P', // operator_intervention: shutdown, crash, start
  '58', // system_error
];

const sqlState = /^[0-9A-Z]{5}$/;

function stateOf(error: object): string | undefined {
  // Only errors from the server have a severity. Node's code `EPIPE` also has five letters.
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity !== undefined && sqlState.test(String(code)) ? String(code) : undefined;
}

/** Returns the SQLSTATE if the error comes from the server and not from the connection. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof Error ? stateOf(error) : undefined;
}

export function isPostgresUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (connecting.has(error)) return true;
  const state = stateOf(error);
  if (state !== undefined) return awayStates.some((away) => state.startsWith(away));
  return fromPostgres.has(error) && !(error instanceof TypeError);
}

/** Marks an error of a query, which may come from the server or from the connection. */
export function markQueryError(error: Error): void {
  fromPostgres.add(error);
}

export function markConnectError(error: Error): Error {
  // The message of pg names a parameter that the service does not have.
  const isUnset = error.message.includes('client password must be a');
  const marked = isUnset ? new Error('the server requires a password', { cause: error }) : error;
  connecting.add(marked);
  return marked;
}

/** Names the setting to check if opening a connection failed. Returns other errors unchanged. */
export function explainConnectError(error: unknown): unknown {
  if (!(error instanceof Error && connecting.has(error))) return error;
  const { code } = error as { code?: unknown };
  // The error of several addresses has no message.
  const reason = error.message === '' ? String(code) : error.message;
  const message = `cannot connect to the PostgreSQL server: ${reason}; check LATCHKEY_DATABASE_URL`;
  const explained = new Error(message, { cause: error });
  connecting.add(explained);
  return explained;
}

const lostStates = ['08', '25006', '57P'];

/** The error of pg for a query without an answer. It has no code. */
const isQueryTimeout = (error: Error) => error.message === 'Query read timeout';

/**
 * Returns whether the error of a query means that the server is lost, stops or has become a
 * standby. The address may then lead to another server. A server that does not answer one query may
 * answer others.
 */
export function isServerLost(error: Error): boolean {
  if (isQueryTimeout(error)) return false;
  const state = stateOf(error);
  return state === undefined || lostStates.some((lost) => state.startsWith(lost));
}

export function isConnectionError(error: Error): boolean {
  return stateOf(error) === undefined;
}
