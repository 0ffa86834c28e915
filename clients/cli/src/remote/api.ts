// `api`: sends one HTTP request with the credential of the caller.
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  connectionMessage,
  LatchkeyError,
  latchkeyErrorOfAnswer,
} from '../../../client/src/errors.ts';
import {
  CommandError,
  type CommandHost,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { unreadable } from '../base/files.ts';
import { write } from '../base/print.ts';
import { abortOnSignal } from '../base/signals.ts';
import { jsonText } from '../base/text.ts';
import { explain } from './errors.ts';
import { openRemote } from './remote.ts';
import { authorizationOf } from './token.ts';

export async function runApi(input: Input, host: CommandHost): Promise<number> {
  const { method = '', path = '' } = input.args;
  const remote = await openRemote(host);
  const { server } = remote.profile;
  const url = urlOf(server, path);
  const body = await readBody(input, host);
  if (body !== undefined && method === 'GET') throw new UsageError('A GET request has no body.');
  const scopes = input.options.scope;
  const scope = Array.isArray(scopes) ? scopes.join(' ') : '';
  const key = textOption(input, 'idempotency-key');
  const headers = headersOf(input.options.header);
  if (body !== undefined && !headers.has('content-type')) {
    headers.set('content-type', 'application/json');
  }
  if (key !== undefined) headers.set('idempotency-key', key);
  const stopping = abortOnSignal(host, new CommandError('Interrupted.', undefined, 'interrupted'));
  // A redirect could name another server, which must not get the credential.
  const request: RequestInit = { method, headers, redirect: 'manual', signal: stopping.signal };
  try {
    const credential = await authorizationOf(remote, scope, { method, url: url.href }, host);
    for (const [name, value] of Object.entries(credential)) headers.set(name, value);
    const answer = await fetch(url, body === undefined ? request : { ...request, body });
    if (!answer.ok) await refuse(answer);
    await writeAnswer(answer, host);
  } catch (error) {
    throw explain(failureOf(error, server), server);
  } finally {
    stopping.end();
  }
  return 0;
}

function urlOf(server: string, path: string): URL {
  if (!path.startsWith('/')) throw new UsageError('The path must begin with a slash.');
  const url = new URL(server + path);
  if (url.origin === new URL(server).origin) return url;
  throw new UsageError('The path must not name another server.');
}

function headersOf(given: unknown): Headers {
  const headers = new Headers();
  for (const text of Array.isArray(given) ? given.map(String) : []) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(text) ?? [];
    // The credential is that of the profile, and the server is its own.
    if (/^(authorization|cookie|host)$/i.test(name)) {
      throw new UsageError(`The header ${name} cannot be set.`);
    }
    try {
      headers.append(name, value);
    } catch {
      throw new UsageError('A header must be written as `Name: value`.');
    }
  }
  return headers;
}

async function readBody(
  input: Input,
  { stdin }: CommandHost,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const data = textOption(input, 'data');
  if (data === undefined) return undefined;
  if (data === '-') return new Uint8Array(await buffer(stdin));
  if (!data.startsWith('@')) return new TextEncoder().encode(data);
  const file = data.slice(1);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  return new Uint8Array(bytes);
}

async function refuse(answer: Response): Promise<never> {
  const { status, headers } = answer;
  const text = await answer.text();
  throw latchkeyErrorOfAnswer({ status, header: (name) => headers.get(name), text });
}

/** JSON on a terminal is indented. Other answers are written as they are. */
async function writeAnswer(answer: Response, host: CommandHost): Promise<void> {
  const isJson = /^application\/([\w.-]+\+)?json\b/.test(answer.headers.get('content-type') ?? '');
  if (isJson && host.stdout.isTTY === true) {
    return write(host, `${jsonText(jsonOf(await answer.text()), 2)}\n`);
  }
  if (host.stdout.isTTY === true && answer.body !== null) {
    throw new UsageError('A terminal cannot show this answer. Redirect the output to a file.');
  }
  for await (const chunk of answer.body ?? []) await write(host, chunk);
  if (isJson) await write(host, '\n');
}

/** The message of a SyntaxError would contain a part of the text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LatchkeyError('unexpected_answer', 'The answer is not JSON.');
  }
}

function failureOf(error: unknown, server: string): unknown {
  return error instanceof TypeError
    ? new LatchkeyError('connection_failed', connectionMessage(server, error))
    : error;
}
