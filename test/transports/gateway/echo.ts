// The service of proto/echo.proto behind the real HTTP transport: every method answers what it was
// asked, so that the answer shows what the gateway has read.
import { readFile } from 'node:fs/promises';
import type { JsonValue } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { compileProto, endpointsOf, serveEndpoints } from '../../support/test-protos.ts';

export type Answer = { status: number; headers: Headers; json: JsonValue };

export type Echo = {
  ask(route: string, body?: JsonValue): Promise<Answer>;
  /** Creates a thing with a body that is sent as it is. */
  send(body: string): Promise<Answer>;
  /** What an answer holds beyond the values that everything has by default. */
  read(route: string, body?: JsonValue): Promise<JsonValue>;
  /** The fields that a refusal names. */
  refusal(route: string, body?: JsonValue): Promise<string[]>;
  /** The message that the handler has got last. */
  lastRequest(): unknown;
  stop(): Promise<void>;
};

export async function startEcho(): Promise<Echo> {
  const file = new URL('proto/echo.proto', import.meta.url);
  const registry = await compileProto({ 'test/echo.proto': await readFile(file, 'utf8') });
  let last: unknown;
  const echo = (request: unknown) => {
    last = request;
    return request;
  };
  const transport = await serveEndpoints(
    endpointsOf(registry, 'test.echo.v1.EchoService', () => echo),
  );

  async function request(route: string, body: string | undefined): Promise<Answer> {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(`http://127.0.0.1:${transport.port}${path}`, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    });
    const { status, headers } = response;
    return { status, headers, json: (await response.json()) as JsonValue };
  }
  const ask = (route: string, body?: JsonValue) =>
    request(route, body === undefined ? undefined : JSON.stringify(body));

  return {
    ask,
    send: (body) => request('POST /things', body),
    async read(route, body) {
      const { status, json } = await ask(route, body);
      expect({ status, json }).toMatchObject({ status: expect.toSatisfy((one) => one < 300) });
      return withoutDefaults(json);
    },
    async refusal(route, body) {
      const { status, headers, json } = await ask(route, body);
      expect({ status, json }).toMatchObject({ status: 400, json: { code: 'invalid_argument' } });
      expect(headers.get('content-type')).toBe('application/problem+json');
      const { errors } = json as { errors: { field: string }[] };
      return errors.map(({ field }) => field);
    },
    lastRequest: () => last,
    stop: () => transport.drain(),
  };
}

const defaults = ['""', '0', '"0"', 'false', '[]', '{}', '"KIND_UNSPECIFIED"'];

function withoutDefaults(json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const told = Object.entries(json).filter(
    // `maybe` is optional: it is there only where it was given.
    ([name, value]) => name === 'maybe' || !defaults.includes(JSON.stringify(value)),
  );
  return Object.fromEntries(told.map(([name, value]) => [name, withoutDefaults(value ?? null)]));
}
