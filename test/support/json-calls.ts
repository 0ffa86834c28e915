// Calls of the HTTP API that answer with JSON.
import { expect } from 'vitest';
import type { App } from '../../src/boot/app.ts';

export type JsonAnswer<T> = { status: number; headers: Headers; body: T };

type Service = Pick<App, 'publicUrl'>;

/** A list gives a parameter several times. */
export type Form = Readonly<Record<string, string | readonly string[]>>;

export async function callJson<T = Record<string, unknown>>(
  { publicUrl }: Service,
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
  return answerOf<T>(response);
}

/** Sends a form. */
export async function callForm<T = Record<string, unknown>>(
  { publicUrl }: Service,
  path: string,
  form: Form,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer<T>> {
  const pairs = Object.entries(form).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as [string, string]),
  );
  const body = new URLSearchParams(pairs);
  return answerOf<T>(await fetch(publicUrl + path, { method: 'POST', headers, body }));
}

/** The caller chooses the type that the route returns. */
async function answerOf<T>(response: Response): Promise<JsonAnswer<T>> {
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as T };
}

/** Returns each answer to a POST, without the time and the request id. */
export function comparableAnswers(app: Service, path: string, bodies: object[]) {
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
