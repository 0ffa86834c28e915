// Calls of the HTTP API with JSON.
import { expect } from 'vitest';
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

/** Returns each answer to a POST, without the time and the request id. */
export function comparableAnswers(app: Pick<App, 'publicUrl'>, path: string, bodies: object[]) {
  return Promise.all(
    bodies.map(async (fields) => {
      const response = await callJson(app, 'POST', path, fields);
      const { request_id, ...body } = response.body;
      const headers = Object.fromEntries(response.headers);
      expect(request_id).toBe(headers['x-request-id']);
      const length = Number(headers['content-length']) - String(request_id).length;
      const rest = { ...headers, date: '', 'x-request-id': '', 'content-length': length };
      return { status: response.status, body, headers: rest };
    }),
  );
}
