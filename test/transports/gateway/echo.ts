// Serves proto/echo.proto through the real HTTP transport. Every method returns its request, so
// that the answer shows what the gateway has read.
import { readFile } from 'node:fs/promises';
import type { JsonValue } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { compileProto, endpointsOf, serveEndpoints } from '../../support/test-protos.ts';

export type Answer = { status: number; headers: Headers; json: JsonValue };

export type Echo = {
  ask(route: string, body?: JsonValue): Promise<Answer>;
  /** Creates a thing with a raw body. */
  send(body: string): Promise<Answer>;
  /** The fields of an answer that differ from their defaults. */
  read(route: string, body?: JsonValue): Promise<JsonValue>;
  /** The fields that an error names. */
  refusal(route: string, body?: JsonValue): Promise<string[]>;
  /** The last message that a handler received. */
  lastRequest(): unknown;
  remove(): Promise<void>;
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
    remove: () => transport.drain(),
  };
}

const defaults = ['""', '0', '"0"', 'false', '[]', '{}', '"KIND_UNSPECIFIED"'];

function withoutDefaults(json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const nonDefault = Object.entries(json).filter(
    // `maybe` is optional: it is present only if the request sets it.
    ([name, value]) => name === 'maybe' || !defaults.includes(JSON.stringify(value)),
  );
  return Object.fromEntries(
    nonDefault.map(([name, value]) => [name, withoutDefaults(value ?? null)]),
  );
}
