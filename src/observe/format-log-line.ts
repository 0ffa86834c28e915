// Formats the log for people: one readable line for each JSON line.

type Fields = Readonly<Record<string, unknown>>;

const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

export function formatLogLine(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Fields;
  const start = `${clockTime(time)} ${(levels[Number(level)] ?? '').padEnd(5)}`;
  const isRequest = fields.request_id !== undefined && fields.duration_ms !== undefined;
  const text = isRequest ? requestText(fields) : `${printable(msg)}${pairs(fields)}`;
  return `${start} ${text}\n${errorText(err)}`;
}

function requestText(fields: Fields): string {
  const { request_id, duration_ms, method, code, status, ...others } = fields;
  const outcome = status === undefined || code !== 'ok' ? code : status;
  const name = method === undefined ? undefined : String(method).split('.').at(-1);
  const { route, transport, peer, principal, principal_id } = others;
  const caller = principal_id === '' ? principal : principal_id;
  const words = [name ?? route, transport, caller, peer, code === 'ok' ? undefined : request_id];
  const shown = words.filter((word) => word !== undefined && word !== '').map(printable);
  const duration = `${Number(duration_ms).toFixed(1)} ms`;
  return `${printable(outcome).padEnd(9)} ${duration.padStart(9)}  ${shown.join('  ')}`;
}

function pairs(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${printable(value)}`)
    .join('');
}

function errorText(err: unknown, title = ''): string {
  if (err === undefined) return '';
  const { stack = err, cause, errors } = (err ?? {}) as Fields;
  const text = typeof stack === 'string' ? stack : (JSON.stringify(stack) ?? '');
  const own = `${title}${text}`
    .split('\n')
    .map((line) => `    ${printable(line.trim())}\n`)
    .join('');
  const parts = Array.isArray(errors) ? errors : [];
  return [own, errorText(cause, 'caused by: '), ...parts.map((part) => errorText(part))].join('');
}

/** A terminal would execute control characters. Format characters can reverse a text. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function printable(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function clockTime(time: unknown): string {
  return new Date(String(time)).toTimeString().slice(0, 8);
}
