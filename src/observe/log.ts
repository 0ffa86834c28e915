// The log: JSON lines with the request id. It is handed facts, never messages or headers, so that
// no secret can reach it; what might all the same hold one is censored by its name.
import pino from 'pino';
import type { LogLevel } from '../config.ts';

export type Log = pino.Logger;

export type OpenLog = {
  readonly log: Log;
  /** Writes out what is still in memory. */
  flush(): void;
};

const secretNames = new Set([
  'access_token',
  'accessToken',
  'api_key',
  'apiKey',
  'authorization',
  'client_secret',
  'clientSecret',
  'cookie',
  'password',
  'token',
]);

// Lines wait for one another: handing each of them on by itself would cost more than making it.
const gathered = { minLength: 8 * 1024, periodicFlush: 20 };

export type LogOptions = {
  readonly level: LogLevel;
  /** A file; undefined for standard output. */
  readonly file?: string;
};

export function createLog({ level, file }: LogOptions): OpenLog {
  const destination = pino.destination({ dest: file ?? 1, sync: false, ...gathered });
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: censor },
      serializers: { err: writeError },
    },
    destination,
  );
  return { log, flush: () => destination.flushSync() };
}

type Fields = Record<string, unknown>;

/** Censors by name, at the top and one level below. An error is left to its serializer. */
function censor(fields: Fields, depth = 0): Fields {
  let kept = fields;
  for (const [name, value] of Object.entries(fields)) {
    const inner = depth === 0 && isFields(value) ? censor(value, 1) : value;
    const told = secretNames.has(name) ? '[secret]' : inner;
    if (told !== value) kept = { ...kept, [name]: told };
  }
  return kept;
}

function writeError(error: unknown): unknown {
  return error instanceof Error ? censor({ ...pino.stdSerializers.err(error) }) : error;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}
