// The first steps of the READMEs, and the types that a TypeScript project sees.
import { execFile, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import type { PackedClients } from '../support/packed-clients.ts';
import { itHoldsFor } from '../support/rule.ts';
import { signToken } from '../support/signed-tokens.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

/** The program of a README that begins with a comment with its name. */
async function programOf(name: string, file: string): Promise<string> {
  const readme = await readFile(path.join(root, 'clients', name, 'README.md'), 'utf8');
  const programs = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const found = programs.find((text) => text.startsWith(`// ${file}\n`));
  if (found === undefined) throw new Error(`The README has no ${file}`);
  return found;
}

const typed = `
import { createClient, LatchkeyError, type ErrorCode } from '@latchkey/client';
import { createGrpcClient, openFile } from '@latchkey/client/node';
import type { Document } from '@latchkey/client/sharing';
import { PrincipalType, type TokenClaims, createVerifier } from '@latchkey/verify';
import { requireTokens as connect } from '@latchkey/verify/connect';
import { requireToken } from '@latchkey/verify/express';
import { requireTokens } from '@latchkey/verify/fastify';
import { requireTokens as grpc } from '@latchkey/verify/grpc-js';
import express from 'express';
import fastify from 'fastify';

const verifier = createVerifier({ issuer: 'https://latchkey.example.com' });
const credentials = { apiKey: 'lk_wk_' };
const client = createClient({ baseUrl: 'https://a.example.com', credentials });
export const document: Promise<Document> = client.upload(await openFile('a.pdf'));
export const code = (error: LatchkeyError): ErrorCode | 'connection_failed' | 'unexpected_answer' =>
  error.code;
export const accountsOf = (claims: TokenClaims) =>
  claims.principal_type === 'customer' ? claims.accounts : [];
export const kind: PrincipalType = 'service';
express().get('/', requireToken(verifier, { scope: 'accounts:read' }));
await fastify().register(requireTokens, { verifier });
fastify().get('/', { config: { access: { scope: 'accounts:read' } } }, () => '');
export const interceptors = [connect(verifier, () => undefined), grpc(verifier, () => undefined)];
createGrpcClient({ grpcUrl: 'http://127.0.0.1:1', credentials: { token: () => 'x' } }).close();
// @ts-expect-error A rule must name the scopes.
requireToken(verifier, {});
// @ts-expect-error A method has the fields of its message.
await client.links.createLink({ document: 'x' });
`;

export function describeNewcomer(installed: () => PackedClients): void {
  let testApp: TestApp;
  beforeAll(async () => {
    testApp = await startTestApp();
  });
  afterAll(() => testApp?.remove());

  describe('a newcomer', () => {
    it('creates a link with the program of the README of @latchkey/client', async () => {
      const output = await installed().run(await programOf('client', 'upload.mjs'), testApp.env);
      expect(output).toMatch(/^http:.*\/s\/\w{22}\n$/);
    });

    it('guards a route with the program of the README of @latchkey/verify', async () => {
      const { folder } = installed();
      const PORT = String(await freePort());
      await writeFile(path.join(folder, 'server.mjs'), await programOf('verify', 'server.mjs'));
      const env = { PATH: process.env.PATH ?? '', PORT, ...testApp.env };
      const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, env });
      onTestFinished(() => void child.kill());
      const [accountId] = testApp.env.CUSTOMER_ACCOUNTS.split(',');
      const statusOf = async (url: string, headers: Record<string, string> = {}) =>
        (await fetch(`http://localhost:${PORT}${url}`, { headers })).status;
      await expect.poll(() => statusOf('/health').catch(() => 0)).toBe(200);
      expect(await statusOf(`/accounts/${accountId}`)).toBe(401);
      const token = await signToken(testApp.app, { type: 'service', scope: 'accounts:read' });
      const authorization = `Bearer ${token}`;
      expect(await statusOf(`/accounts/${accountId}`, { authorization })).toBe(200);
    });

    itHoldsFor(['nodenext', 'bundler'])('has types in each resolution', async (resolution) => {
      const { folder } = installed();
      await writeFile(path.join(folder, 'typed.ts'), typed);
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
      const words = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node'];
      const { stdout } = await run(
        path.join(root, 'node_modules/.bin/tsc'),
        [
          ...words,
          '--module',
          module,
          '--moduleResolution',
          resolution,
          '--skipLibCheck',
          'typed.ts',
        ],
        { cwd: folder },
      ).catch((error: { stdout: string }) => error);
      expect(stdout).toBe('');
    });
  });
}
