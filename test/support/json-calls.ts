// Calls of the HTTP API with JSON.
import type { App } from '../../src/boot/app.ts';

export type JsonAnswer<T> = { status: number; headers: Headers; body: T };

export async function callJson<T = Record<string, unknown>>(
  { publicUrl }: Pick<App, 'publicUrl'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer<T>> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(publicUrl + path, {
    method,
    headers: { ...type, ...headers },
    ...json,
  });
  // The caller chooses the type that the route returns.
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}
