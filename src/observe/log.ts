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

/** Lines wait this long for one another: handing each of them on would cost more than making it. */
const gatherMs = 10;
const gatheredBytesMax = 64 * 1024;

export type LogOptions = {
  readonly level: LogLevel;
  /** A file; undefined for standard output. */
  readonly file?: string;
};

export function createLog({ level, file }: LogOptions): OpenLog {
  const { write, flush } = gatherLines(pino.destination({ dest: file ?? 1, sync: false }));
  const log = pino(
    {
      level,
      base: null,
      timestamp: isoTime(),
      formatters: { log: censor },
      serializers: { err: writeError },
    },
    { write },
  );
  return { log, flush };
}

/** Writes the time of a line. Lines of one millisecond share the text, which is dear to make. */
function isoTime(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`;
    at = now;
    return text;
  };
}

type Fields = Record<string, unknown>;

type Destination = ReturnType<typeof pino.destination>;

function gatherLines(destination: Destination) {
  const bytes = Buffer.allocUnsafe(gatheredBytesMax);
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  function pass(): void {
    clearTimeout(timer);
    timer = undefined;
    if (length > 0) destination.write(bytes.toString('utf8', 0, length));
    length = 0;
  }
  return {
    write(line: string): void {
      // UTF-8 takes at most three bytes for each unit of a string.
      const lengthMax = line.length * 3;
      if (length + lengthMax > gatheredBytesMax) pass();
      if (lengthMax > gatheredBytesMax) {
        destination.write(line);
        return;
      }
      length += bytes.write(line, length);
      timer ??= setTimeout(pass, gatherMs);
    },
    flush(): void {
      pass();
      destination.flushSync();
    },
  };
}

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
