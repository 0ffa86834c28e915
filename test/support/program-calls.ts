// Calls of the HTTP API of a program with the demo data.
import { expect } from 'vitest';
import type { RunningProgram } from './program.ts';
import { sha256 } from './sharing-api.ts';

/** Calls the HTTP API with the demo's API key, or with a token. */
export async function call<T>(
  program: RunningProgram,
  route: string,
  body?: unknown,
  credential = program.env.API_KEY,
): Promise<T> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${program.origin}${route}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(route === '/tokens' ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  expect(response.ok, `${route}: ${response.status}`).toBe(true);
  return (await response.json()) as T;
}

export async function issueToken(program: RunningProgram): Promise<string> {
  const { env } = program;
  const { access_token } = await call<{ access_token: string }>(program, '/tokens', {
    client_id: env.CLIENT_ID,
    client_secret: env.CLIENT_SECRET,
    scope: 'tokens:read',
  });
  return access_token;
}

export type Uploaded = { readonly id: string; readonly digest: string };

export async function upload(program: RunningProgram, sizeBytes: number): Promise<Uploaded> {
  const bytes = Buffer.alloc(sizeBytes, crypto.randomUUID());
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'file.bin');
  const { id } = await call<{ id: string }>(program, '/api/v1/documents', form);
  return { id, digest: sha256(bytes) };
}

export async function remove(program: RunningProgram, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${program.env.API_KEY}` };
  const url = `${program.origin}/api/v1/documents/${id}`;
  expect((await fetch(url, { method: 'DELETE', headers })).ok).toBe(true);
}

export async function digestOf(program: RunningProgram, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${program.env.API_KEY}` };
  const response = await fetch(`${program.origin}/api/v1/documents/${id}/file`, { headers });
  return sha256(Buffer.from(await response.arrayBuffer()));
}
