// A method that exists only in tests of the guard, and a caller for it.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  create,
  createFileRegistry,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  setExtension,
} from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FieldMask,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_field_mask,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import {
  AccessSchema,
  access as accessOption,
  type PrincipalType,
  type SessionCookie,
} from '../../gen/latchkey/options/v1/access_pb.js';
import type { Authenticate } from '../../src/api/authentication.ts';
import { createValidatorLoader } from '../../src/api/bounds.ts';
import { LazyContext } from '../../src/api/call.ts';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { createGuard } from '../../src/api/guard.ts';
import type { Principal } from '../../src/api/principal.ts';
import { failureOf } from '../../src/base/errors/errors.ts';
import { noAnswers } from './test-protos.ts';

export type Rule = {
  readonly public?: boolean;
  readonly scope?: string;
  readonly principals?: PrincipalType[];
  readonly recentSignIn?: boolean;
  readonly workspace?: boolean;
  readonly self?: boolean;
  readonly recentSignInFields?: string[];
  readonly sessionCookie?: SessionCookie;
};

/** The fields of the method's request. */
export type Fields = {
  readonly userId?: string;
  readonly workspaceId?: string;
  readonly scopes?: string;
  readonly updateMask?: FieldMask;
};

const stepUpSeconds = 300;
export const nowSeconds = 1_800_000_000;

export async function codeFor(
  rule: Rule,
  principal: Principal,
  fields: Fields = {},
): Promise<string> {
  return callGuarded(rule, principal, fields).then(
    () => 'ok',
    (error: unknown) => failureOf(error).code,
  );
}

export async function callGuarded(
  rule: Rule,
  principal: Principal,
  fields: Fields = {},
): Promise<unknown> {
  return invoke(guardMethod(rule, principal), fields);
}

/**
 * Calls the method with a body that takes `readMs` to arrive. Each check of the credential gets the
 * next principal.
 */
export async function callSlowly(
  rule: Rule,
  principals: readonly (Principal | undefined)[],
  readMs: number,
): Promise<{ readonly code: string; readonly checks: number }> {
  let checks = 0;
  const endpoint = guardWith(rule, async () => principals[checks++]);
  const code = await invoke(endpoint, {}, readMs).then(
    () => 'ok',
    (error: unknown) => failureOf(error).code,
  );
  return { code, checks };
}

async function invoke(endpoint: Endpoint, fields: Fields, readMs = 0): Promise<unknown> {
  if (endpoint.kind !== 'unary') throw new Error('the method must be unary');
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
  const clientCertificate = () => undefined;
  const from = { transport: 'http', requestId: 'mine', peer: '' } as const;
  const call = { ...from, header, clientCertificate, context, isGone };
  const init: MessageInitShape<DescMessage> = fields;
  return endpoint.invoke(call, async () => {
    if (readMs > 0) await sleep(readMs);
    return create(method.input as DescMessage, init);
  });
}

export function guardMethod(rule: Rule | undefined, principal: Principal | undefined): Endpoint {
  return guardWith(rule, () => Promise.resolve(principal));
}

function guardWith(rule: Rule | undefined, authenticateToken: Authenticate): Endpoint {
  const guard = createGuard({
    authenticateToken,
    authenticateWorkspaceKey: () => Promise.resolve(undefined),
    authenticateSession: () => Promise.resolve(undefined),
    sessionCookie: 'session',
    publicUrl: 'http://test.invalid',
    membershipsOf: async (userId) => {
      const own = [...(memberships[userId] ?? new Map<string, ReadonlySet<string>>())];
      return new Map(own.map(([id, scopes]) => [id, { scopes, isJoined: true, isDeleted: false }]));
    },
    isWorkspaceDeleted: async () => false,
    loadValidator: createValidatorLoader(),
    answers: noAnswers,
    requireOwnFactor: async () => {},
    stepUpSeconds,
    now: () => nowSeconds * 1000,
    observe: () => {},
    failureOf,
  });
  return guard(methodWith(rule), () => ({}));
}

const memberships: Record<string, ReadonlyMap<string, ReadonlySet<string>>> = {
  usr_one: new Map([['ws_1', new Set(['links:read'])]]),
  usr_two: new Map([
    ['ws_1', new Set(['links:read'])],
    ['ws_2', new Set(['links:write'])],
  ]),
};

function methodWith(rule: Rule | undefined): DescMethod {
  const options = create(MethodOptionsSchema);
  if (rule !== undefined) setExtension(options, accessOption, create(AccessSchema, rule));
  const [inputType, outputType] = ['.test.v1.Request', '.google.protobuf.FieldMask'];
  const label = FieldDescriptorProto_Label.OPTIONAL;
  const text = { type: FieldDescriptorProto_Type.STRING, label };
  const mask = { type: FieldDescriptorProto_Type.MESSAGE, typeName: outputType, label };
  const file = create(FileDescriptorProtoSchema, {
    name: 'test/v1/test.proto',
    package: 'test.v1',
    syntax: 'proto3',
    dependency: [file_google_protobuf_field_mask.proto.name],
    messageType: [
      {
        name: 'Request',
        field: [
          { ...text, name: 'user_id', number: 1 },
          { ...text, name: 'workspace_id', number: 2 },
          { ...text, name: 'scopes', number: 3 },
          { ...mask, name: 'update_mask', number: 4 },
        ],
      },
    ],
    service: [{ name: 'TestService', method: [{ name: 'Act', inputType, outputType, options }] }],
  });
  const set = create(FileDescriptorSetSchema, {
    file: [file_google_protobuf_field_mask.proto, file],
  });
  const [method] = createFileRegistry(set).getService('test.v1.TestService')?.methods ?? [];
  if (method === undefined) throw new Error('the service has no method');
  return method;
}
