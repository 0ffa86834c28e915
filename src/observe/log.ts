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

const secretNames = [
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
];

export type LogOptions = {
  readonly level: LogLevel;
  /** A file; undefined for standard output. */
  readonly file?: string;
};

export function createLog({ level, file }: LogOptions): OpenLog {
  const destination = pino.destination({ dest: file ?? 1, sync: false });
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
      serializers: { err: pino.stdSerializers.err },
    },
    destination,
  );
  return { log, flush: () => destination.flushSync() };
}
