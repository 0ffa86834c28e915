// `api`: sends one HTTP request with the credential of the caller.
import { buffer, text } from 'node:stream/consumers';
import { LatchkeyError, latchkeyErrorOfAnswer } from '../../../client/src/errors.ts';
import { type CommandHost, type Input, textOption, UsageError } from '../base/command.ts';
import { readInput } from '../base/files.ts';
import { write } from '../base/print.ts';
import { untilInterrupted } from '../base/signals.ts';
import { jsonText } from '../base/text.ts';
import { targetOf } from './client-certificate.ts';
import { explain } from './errors.ts';
import { openRemote } from './remote.ts';
import { authorizationOf } from './token.ts';
import { type HttpResponse, sendRequest } from './transport.ts';

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
  await untilInterrupted(host, async (signal) => {
    const credential = await authorizationOf(remote, scope, { method, url: url.href }, host);
    for (const [name, value] of Object.entries(credential)) headers.set(name, value);
    const request = { method, headers, body, signal };
    const answer = await sendRequest(targetOf(host, remote.profile), url, request);
    const { status, header } = answer;
    if (status >= 300) {
      throw latchkeyErrorOfAnswer({ status, header, text: await text(answer.chunks) });
    }
    await writeAnswer(answer, host);
  }).catch((error: unknown) => {
    throw explain(error, server);
  });
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
    // The credential is that of the profile, the server is its own. The length is that of the data.
    if (/^(authorization|cookie|host|content-length|transfer-encoding)$/i.test(name)) {
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
  return new Uint8Array(await readInput(data.slice(1)));
}

/** JSON on a terminal is indented. Other answers are written as they are. */
async function writeAnswer(
  { status, header, chunks }: HttpResponse,
  host: CommandHost,
): Promise<void> {
  const isJson = /^application\/([\w.-]+\+)?json\b/.test(header('content-type') ?? '');
  if (isJson && host.stdout.isTTY === true) {
    return write(host, `${jsonText(jsonOf(await text(chunks)), 2)}\n`);
  }
  if (host.stdout.isTTY === true && status !== 204) {
    throw new UsageError('A terminal cannot show this answer. Redirect the output to a file.');
  }
  for await (const chunk of chunks) await write(host, chunk);
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
