// The log: JSON lines with the request id. It is handed facts, never messages or headers, so that
// no secret can reach it; what might all the same hold one is censored by its name.
import pino from 'pino';
import type { Config } from '../config/config.ts';
import { createLogWriter } from './log-writer.ts';
import { prettyLine } from './pretty.ts';

export type Log = pino.Logger;

export type OpenLog = {
  readonly log: Log;
  /** Writes the lines that are still in memory, for as long as their reader accepts them. */
  flush(): Promise<void>;
  /** How many lines were dropped, because no process read them. */
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
  /** The default is `json`. */
  readonly format?: 'json' | 'pretty';
  /** A file; undefined for standard output. */
  readonly file?: string;
};

/** How long the end of the process waits for a reader of its log. */
const flushMs = 500;

export function createLog({ level, format, file }: LogOptions): OpenLog {
  const time = isoTime();
  const asWritten = format === 'pretty' ? prettyLine : (line: string) => line;
  const writer = createLogWriter({
    file,
    reportOf: (dropped) =>
      asWritten(
        `{"level":40${time()},"dropped_lines":${dropped},"msg":"log lines were dropped"}\n`,
      ),
  });
  const log = pino(
    {
      level,
      base: null,
      timestamp: time,
      formatters: { log: censor },
      serializers: { err: writeError },
    },
    format === 'pretty' ? { write: (line: string) => writer.write(prettyLine(line)) } : writer,
  );
  return { log, flush: () => writer.flush(flushMs), droppedLines: () => writer.droppedLines() };
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
