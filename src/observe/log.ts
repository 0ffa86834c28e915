// The log: JSON lines with the request id. Callers log facts, never messages or headers, so that it
// contains no secrets. Fields that could contain one are censored by name.
import pino from 'pino';
import type { Config } from '../base/config/config.ts';
import { errorFields } from './error-fields.ts';
import { formatLogLine } from './format-log-line.ts';
import { createLogWriter } from './log-writer.ts';

export type Log = pino.Logger & {
  /** Logs fields that are JSON text, such as `"a":1,"b":2`. They must not contain secrets. */
  json(level: JsonLevel, fields: string, message: string): void;
};

/** pino's numbers of the levels. */
const levels = { info: 30, error: 50 } as const;
type JsonLevel = keyof typeof levels;

export type OpenLog = {
  readonly log: Log;
  writeLines(bytes: Buffer): void;
  flush(): Promise<void>;
  droppedLines(): number;
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

export type LogOptions = {
  readonly level: Config['logLevel'];
  readonly format?: 'json' | 'pretty';
  readonly file?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
};

/** How long the exit of the process waits until its log is read. */
const flushMs = 500;

export function createLog({ level, format, file, fields }: LogOptions): OpenLog {
  const time = isoTime();
  const asWritten = format === 'pretty' ? formatLogLine : (line: string) => line;
  const writer = createLogWriter({
    file,
    reportOf: (dropped) =>
      asWritten(
        `{"level":40${time()},"dropped_lines":${dropped},"msg":"log lines were dropped"}\n`,
      ),
  });
  const write = (line: string) => writer.write(asWritten(line));
  const logger = pino(
    {
      level,
      base: fields ?? null,
      timestamp: time,
      formatters: { log: censor },
      serializers: { err: (error: unknown) => errorFields(error) },
    },
    { write },
  );
  const constants = fields === undefined ? '' : `,${JSON.stringify(fields).slice(1, -1)}`;
  function json(level: JsonLevel, text: string, message: string): void {
    if (!logger.isLevelEnabled(level)) return;
    const start = `{"level":${levels[level]}${time()}${constants}`;
    write(`${start},${text},"msg":"${message}"}\n`);
  }
  return {
    log: Object.assign(logger, { json }),
    writeLines: (bytes) => writer.writeLines(bytes),
    flush: () => writer.flush(flushMs),
    droppedLines: () => writer.droppedLines(),
  };
}

/** Formats the time of a line. Lines of the same millisecond share one text. */
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

/** Censors fields by name, on the top two levels. The serializer handles errors. */
function censor(fields: Fields, depth = 0): Fields {
  let kept = fields;
  for (const [name, value] of Object.entries(fields)) {
    const inner = depth === 0 && isFields(value) ? censor(value, 1) : value;
    const logged = secretNames.has(name) ? '[secret]' : inner;
    if (logged !== value) kept = { ...kept, [name]: logged };
  }
  return kept;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}
