// A method: its descriptor, its access rule, its HTTP form and its guarded handler.
import { type DescMessage, type DescMethod, getOption, type Message } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import type { HandlerContext } from '@connectrpc/connect';
import { http as httpRuleOption } from '../../gen/google/api/annotations_pb.js';
import type { HttpRule } from '../../gen/google/api/http_pb.js';
import {
  type Access,
  access as accessOption,
  PrincipalType,
  SessionCookie,
} from '../../gen/latchkey/options/v1/access_pb.js';
import { type Http, http as httpOption } from '../../gen/latchkey/options/v1/http_pb.js';
import type { Call } from './call.ts';

export type MethodFacts = {
  readonly descriptor: DescMethod;
  /** `latchkey.identity.v1.IssuanceService/IssueToken` */
  readonly name: string;
  readonly access: Access;
  readonly rule: HttpRule | undefined;
  readonly http: Http;
  readonly sideEffects: boolean;
  /** It requires an authenticated caller, and a repeated call would act again. */
  readonly acceptsIdempotencyKey: boolean;
  readonly hasSecretResponse: boolean;
};

/** The guard calls it only after it has accepted the credential. */
export type ReadRequest = () => Message | Promise<Message>;

export type UnaryEndpoint = MethodFacts & {
  readonly kind: 'unary';
  invoke(call: Call, read: ReadRequest): Promise<Message>;
};

export type ClientStreamingEndpoint = MethodFacts & {
  readonly kind: 'client_streaming';
  invoke(call: Call, requests: AsyncIterable<Message>): Promise<Message>;
};

export type ServerStreamingEndpoint = MethodFacts & {
  readonly kind: 'server_streaming';
  invoke(call: Call, read: ReadRequest): AsyncIterable<Message>;
};

export type Endpoint = UnaryEndpoint | ClientStreamingEndpoint | ServerStreamingEndpoint;

export type Handler = (request: never, context: HandlerContext) => unknown;

const scopePattern = /^[a-z][a-z0-9_]{0,63}:(read|write)$/;

/** Reads a method's options. Throws an error with its name if they are missing or contradictory. */
export function methodFactsOf(descriptor: DescMethod): MethodFacts {
  const name = `${descriptor.parent.typeName}/${descriptor.name}`;
  const access = getOption(descriptor, accessOption);
  const flaw = accessFlaw(descriptor, access);
  if (flaw !== undefined) throw new Error(`${name}: ${flaw}`);
  const rule = getOption(descriptor, httpRuleOption);
  return {
    descriptor,
    name,
    access,
    rule: rule.pattern.case === undefined ? undefined : rule,
    http: getOption(descriptor, httpOption),
    hasSecretResponse: hasSecretField(descriptor.output),
    sideEffects: descriptor.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
    acceptsIdempotencyKey: repeatsEffect(descriptor) && hasBearer(access),
  };
}

const repeatsEffect = ({ idempotency }: DescMethod) =>
  idempotency === MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;

const hasBearer = (access: Access) =>
  !access.public && access.sessionCookie === SessionCookie.UNSPECIFIED;

function accessFlaw(method: DescMethod, access: Access): string | undefined {
  if (access.public) {
    const alone =
      access.scope === '' &&
      access.principals.length === 0 &&
      !access.recentSignIn &&
      !access.self &&
      !access.filtered &&
      access.recentSignInFields.length === 0 &&
      access.sessionCookie === SessionCookie.UNSPECIFIED &&
      !access.workspace;
    return alone ? undefined : 'a public method must not have other access rules';
  }
  if (access.scope === '' && access.principals.length === 0) {
    return 'the method has no access option';
  }
  if (access.deletedWorkspace && !access.workspace) {
    return 'a method for deleted workspaces must act within a workspace';
  }
  if (access.filtered && access.scope !== '') return 'a filtered method must not have a scope';
  const takesNoScope =
    access.self || access.filtered || access.sessionCookie !== SessionCookie.UNSPECIFIED;
  if (!(access.scope === '' && takesNoScope) && !scopePattern.test(access.scope)) {
    return `"${access.scope}" is not a scope`;
  }
  if (access.principals.length === 0) return 'the access option accepts no caller type';
  if (access.principals.includes(PrincipalType.UNSPECIFIED)) {
    return 'the access option accepts an unspecified caller type';
  }
  const missing = neededFields(access).find(
    (name) => !method.input.fields.some((field) => field.name === name),
  );
  return missing === undefined ? undefined : `its request has no field ${missing}`;
}

function neededFields({ workspace, self, recentSignInFields }: Access): string[] {
  return [
    ...(workspace ? ['workspace_id'] : []),
    ...(self ? ['user_id'] : []),
    ...recentSignInFields,
  ];
}

function hasSecretField(message: DescMessage, seen = new Set<DescMessage>()): boolean {
  if (seen.has(message)) return false;
  seen.add(message);
  return message.fields.some(
    (field) =>
      field.proto.options?.debugRedact === true ||
      (field.message !== undefined && hasSecretField(field.message, seen)),
  );
}
