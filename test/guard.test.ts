// The guard's rules that no method may use yet, on methods made for the test.
import { create, createFileRegistry, type DescMethod, setExtension } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_empty,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import { createValidator } from '@bufbuild/protovalidate';
import { describe, expect, it } from 'vitest';
import {
  AccessSchema,
  access as accessOption,
  PrincipalType,
} from '../gen/latchkey/options/v1/access_pb.js';
import { LazyContext } from '../src/rpc/call.ts';
import type { Endpoint } from '../src/rpc/endpoint.ts';
import { failureOf } from '../src/rpc/errors.ts';
import { createGuard } from '../src/rpc/guard.ts';
import type { Principal } from '../src/rpc/principal.ts';

type Rule = {
  readonly public?: boolean;
  readonly scope?: string;
  readonly principals?: PrincipalType[];
  readonly recentSignIn?: boolean;
  readonly workspace?: boolean;
};

const { SERVICE, STAFF, UNSPECIFIED } = PrincipalType;
const stepUpSeconds = 300;
const nowSeconds = 1_800_000_000;

describe('a method that needs a recent sign-in', () => {
  const rule = { scope: 'clients:write', principals: [STAFF, SERVICE], recentSignIn: true };
  const staff = (age: number, scope = 'clients:write'): Principal => ({
    type: 'staff',
    userId: 'usr_1',
    sessionId: 'ses_1',
    authTime: nowSeconds - age,
    scopes: new Set([scope]),
  });

  it.each([0, 299, 300])('is open to staff %i seconds after it', async (age) => {
    expect(await codeFor(rule, staff(age))).toBe('ok');
  });

  it.each([301, 86_400])('is closed to staff %i seconds after it', async (age) => {
    await expect(invoke(rule, staff(age))).rejects.toMatchObject({
      code: 'step_up_required',
      extra: { challenge: 'Bearer error="insufficient_user_authentication", max_age=300' },
    });
  });

  it('asks for the scope first', async () => {
    expect(await codeFor(rule, staff(86_400, 'clients:read'))).toBe('forbidden');
  });

  it('judges a service by its scope alone', async () => {
    const service = (scope: string): Principal => ({
      type: 'service',
      clientId: 'cli_1',
      scopes: new Set([scope]),
    });
    expect(await codeFor(rule, service('clients:write'))).toBe('ok');
    expect(await codeFor(rule, service('clients:read'))).toBe('forbidden');
  });
});

describe('a method', () => {
  it.each([
    ['without an access option', undefined, 'no access option'],
    ['with an empty one', {}, 'no access option'],
    ['that is public and wants a scope', { public: true, scope: 'a:read' }, 'public'],
    ['that is public to staff', { public: true, principals: [STAFF] }, 'public'],
    ['with no scope', { principals: [STAFF] }, 'not a scope'],
    ['with a scope of another form', { scope: 'a:delete', principals: [STAFF] }, 'not a scope'],
    ['that nobody may call', { scope: 'a:read' }, 'no kind of caller'],
    ['that the unspecified may call', { scope: 'a:read', principals: [UNSPECIFIED] }, 'unspec'],
    [
      'within a workspace that it cannot name',
      { scope: 'a:read', principals: [STAFF], workspace: true },
      'workspace_id',
    ],
  ] satisfies [string, Rule | undefined, string][])(
    '%s stops the start, by its name',
    (_, rule, text) => {
      const start = () => guardMethod(rule, undefined);
      expect(start).toThrow('test.v1.TestService/Act: ');
      expect(start).toThrow(text);
    },
  );
});

async function codeFor(rule: Rule, principal: Principal): Promise<string> {
  return invoke(rule, principal).then(
    () => 'ok',
    (error: unknown) => failureOf(error).code,
  );
}

async function invoke(rule: Rule, principal: Principal): Promise<unknown> {
  const endpoint = guardMethod(rule, principal);
  if (endpoint.kind !== 'unary') throw new Error('the method is unary');
  const { descriptor: method } = endpoint;
  const context = new LazyContext({
    method,
    protocolName: 'http',
    requestMethod: 'POST',
    url: '/',
    headers: () => new Headers(),
    onGone: () => {},
  });
  const header = (name: string) => (name === 'authorization' ? 'Bearer token' : undefined);
  const isGone = () => false;
  const call = { face: 'http', requestId: 'mine', peer: '', header, context, isGone } as const;
  return endpoint.invoke(call, () => create(method.input));
}

function guardMethod(rule: Rule | undefined, principal: Principal | undefined): Endpoint {
  const guard = createGuard({
    authenticateToken: () => Promise.resolve(principal),
    authenticateWorkspaceKey: () => Promise.resolve(undefined),
    authenticateSession: () => Promise.resolve(undefined),
    sessionCookie: () => 'session',
    publicUrl: () => 'http://test.invalid',
    membershipsOf: () => Promise.resolve(new Map()),
    validator: createValidator(),
    stepUpSeconds,
    now: () => nowSeconds * 1000,
    observe: () => {},
    failureOf,
  });
  return guard(methodWith(rule), () => ({}));
}

function methodWith(rule: Rule | undefined): DescMethod {
  const options = create(MethodOptionsSchema);
  if (rule !== undefined) setExtension(options, accessOption, create(AccessSchema, rule));
  const inputType = '.google.protobuf.Empty';
  const file = create(FileDescriptorProtoSchema, {
    name: 'test/v1/test.proto',
    package: 'test.v1',
    syntax: 'proto3',
    dependency: [file_google_protobuf_empty.proto.name],
    service: [
      { name: 'TestService', method: [{ name: 'Act', inputType, outputType: inputType, options }] },
    ],
  });
  const set = create(FileDescriptorSetSchema, { file: [file_google_protobuf_empty.proto, file] });
  const [method] = createFileRegistry(set).getService('test.v1.TestService')?.methods ?? [];
  if (method === undefined) throw new Error('the service has no method');
  return method;
}
