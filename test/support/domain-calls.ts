// Calls of DomainService over HTTP, and requests to the service under other host names.
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { TestApp } from './harness.ts';
import { callJson, type JsonAnswer } from './json-calls.ts';
import { credentialFor } from './member-rows.ts';

export type DomainFields = {
  id: string;
  name: string;
  state: string;
  txt_name: string;
  txt_value: string;
  primary: boolean;
  verify_time?: string;
};

export type Problem = { code: string; detail: string };

const scope = 'workspaces:read workspaces:write';

/** Calls a route of a workspace's domains as staff, by default of the demo workspace. */
export async function callDomains<T = DomainFields>(
  test: TestApp,
  method: string,
  route = '',
  body?: unknown,
  workspaceId: string = test.env.WORKSPACE_ID,
): Promise<JsonAnswer<T>> {
  const headers = await credentialFor(test, { type: 'staff', scope });
  const path = `/workspaces/${workspaceId}/domains${route}`;
  return callJson<T>(test.app, method, path, body, headers);
}

export async function addDomain(
  test: TestApp,
  name: string,
  workspaceId?: string,
): Promise<DomainFields> {
  const added = await callDomains(test, 'POST', '', { name }, workspaceId);
  expect(added.status).toBe(201);
  return added.body;
}

export async function addVerifiedDomain(
  test: TestApp,
  name: string,
  workspaceId?: string,
): Promise<DomainFields> {
  const { id } = await addDomain(test, name, workspaceId);
  const approved = await callDomains(test, 'POST', `/${id}:approve`, {}, workspaceId);
  expect(approved.status).toBe(200);
  return approved.body;
}

export type HostAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

export type HostRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Sends a request with this Host and this request target to a service. */
export function askHost(
  origin: string,
  host: string,
  target: string,
  { method = 'GET', headers = {}, body }: HostRequest = {},
): Promise<HostAnswer> {
  return new Promise((resolve, reject) => {
    const options = { method, path: target, headers: { ...headers, host }, agent: false };
    const sent = request(origin, options, (response) => {
      const received = new Headers();
      for (let i = 0; i < response.rawHeaders.length; i += 2) {
        received.append(response.rawHeaders[i] ?? '', response.rawHeaders[i + 1] ?? '');
      }
      buffer(response).then((bytes) => {
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: received, text: bytes.toString() });
      }, reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Whether a proxy may get a certificate for the domain. */
export async function isAllowed({ app }: TestApp, domain: string): Promise<boolean> {
  const query = new URLSearchParams({ domain });
  const { status } = await fetch(`${app.opsUrl}/internal/domain-allowed?${query}`);
  expect([200, 404]).toContain(status);
  return status === 200;
}
