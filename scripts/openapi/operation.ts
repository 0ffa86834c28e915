// The operation of a method's binding.
import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import mime from 'mime';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { isObjectMessage } from '../../src/api/json-members.ts';
import type { Binding } from '../../src/transports/gateway/binding.ts';
import {
  authenticatesClient,
  hasGrantType,
  oauthFields,
} from '../../src/transports/gateway/oauth-form.ts';
import { formType, jsonType, multipartType } from '../../src/transports/http/request-body.ts';
import { causesOf } from './causes.ts';
import { type Comments, withoutErrors } from './comments.ts';
import { downloadHeaders, downloadResponses } from './download.ts';
import { errorResponses } from './errors.ts';
import { type Examples, exampleOf } from './examples.ts';
import { requiredFields, type Schema, type Schemas, schemaNameOf } from './schema.ts';
import { accessText, securityOf } from './security.ts';

export type OperationContext = {
  readonly comments: Comments;
  readonly schemas: Schemas;
  readonly examples: Examples;
};

/** `index` counts the bindings of the method. */
export function operationOf(binding: Binding, index: number, context: OperationContext): Schema {
  const { endpoint } = binding;
  const { descriptor } = endpoint;
  const comment = context.comments.of(endpoint.name);
  const body = requestBody(binding, index, context);
  const id = `${descriptor.parent.name}_${descriptor.name}`;
  return {
    operationId: index === 0 ? id : `${id}_${index + 1}`,
    tags: [tagOf(descriptor)],
    summary: summaryOf(descriptor),
    description: [withoutErrors(comment), accessText(endpoint), retryText(endpoint)].join('\n\n'),
    security: securityOf(endpoint),
    parameters: parametersOf(binding, context),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...successResponses(binding, context),
      ...errorResponses(causesOf(binding, comment), endpoint.http.oauthErrors),
    },
  };
}

/** The tags by service: the words of the console. */
const tags: Readonly<Record<string, string>> = {
  IssuanceService: 'Tokens',
  VerificationService: 'Verification',
  OAuthService: 'OAuth',
  AccountService: 'Accounts',
  AudienceService: 'Audiences',
  TrustedIssuerService: 'Trusted issuers',
  ClientService: 'Clients',
  CustomerService: 'Customers',
  IdentityProviderService: 'Identity providers',
  SessionService: 'Sessions',
  PasskeyService: 'Passkeys',
  PasswordResetService: 'Password reset',
  AuditService: 'Audit log',
  SearchService: 'Search',
  InstallationService: 'Installation',
  SigningKeyService: 'Signing keys',
  UsageService: 'Usage',
  UserService: 'Users',
  UserAccessService: 'Users',
  DocumentService: 'Documents',
  FolderService: 'Folders',
  LinkService: 'Links',
  InsightService: 'Insight',
  VisitorService: 'Visitors',
  ApiKeyService: 'Workspace API keys',
  WorkspaceService: 'Workspaces',
  InvitationService: 'Invitations',
  DomainService: 'Domains',
};

export function tagOf({ parent }: DescMethod): string {
  const tag = tags[parent.name];
  if (tag === undefined) throw new Error(`${parent.name} has no tag`);
  return tag;
}

const summaryOf = ({ name }: DescMethod) => sentence(name);

const acronyms: Readonly<Record<string, string>> = { api: 'API', jwks: 'JWKS', totp: 'TOTP' };

/** `CreateApiKey` becomes `Create API key`. */
function sentence(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(' ');
  const text = words.map((word) => acronyms[word.replace(/s$/, '')] ?? acronyms[word] ?? word);
  return text.map((word, i) => (i === 0 ? capitalize(word) : word)).join(' ');
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function retryText({ descriptor, acceptsIdempotencyKey }: Endpoint): string {
  if (acceptsIdempotencyKey) {
    return 'A repeated call may act twice, unless it has the same `Idempotency-Key`.';
  }
  switch (descriptor.idempotency) {
    case MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS:
      return 'This method changes nothing. You may repeat it.';
    case MethodOptions_IdempotencyLevel.IDEMPOTENT:
      return 'A repeated call has no further effect, so you may retry it.';
    default:
      return 'A repeated call may act twice. Do not retry it without a check.';
  }
}

function parametersOf(binding: Binding, { comments, schemas }: OperationContext): Schema[] {
  const { endpoint, template, body } = binding;
  const { input } = endpoint.descriptor;
  const inPath = template.variables.map(({ fieldPath, multiSegment }) => {
    const field = fieldAt(input, fieldPath);
    if (multiSegment) throw new Error(`${endpoint.name}: a path variable has several segments`);
    return parameter('path', fieldPath, field, true);
  });
  const headers = endpoint.http.download ? downloadHeaders(input) : [];
  const headerFields = headers.map((name) => name.toLowerCase().replaceAll('-', '_'));
  const bound = new Set([...template.variables.map(({ fieldPath }) => fieldPath), ...headerFields]);
  const inQuery = body === '*' ? [] : queryFields(input, '', bound, body);
  const required = requiredFields(input);
  return [
    ...inPath,
    ...inQuery.map(([name, field]) => parameter('query', name, field, required.includes(name))),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(endpoint.http.publicMaxAgeSeconds > 0
      ? [
          { $ref: '#/components/parameters/If-None-Match' },
          { $ref: '#/components/parameters/If-Match' },
        ]
      : []),
    ...(body === '*' && input.fields.some((field) => field.name === 'etag')
      ? [{ $ref: '#/components/parameters/If-Match' }]
      : []),
    ...(endpoint.acceptsIdempotencyKey
      ? [{ $ref: '#/components/parameters/Idempotency-Key' }]
      : []),
    ...(acceptsProof(endpoint) ? [{ $ref: '#/components/parameters/DPoP' }] : []),
    { $ref: '#/components/parameters/X-Request-Id' },
  ];

  function parameter(place: string, name: string, field: DescField, required: boolean): Schema {
    const { description, ...schema } = schemas.property(field, 'request');
    return {
      name,
      in: place,
      description: description ?? comments.of(`${field.parent.typeName}.${field.name}`),
      ...(required ? { required } : {}),
      schema,
      ...(place === 'path' ? { example: exampleOf(field, comments) } : {}),
    };
  }
}

/** The fields that the query can set, by the dotted paths of their parameters. */
function queryFields(
  message: DescMessage,
  parent: string,
  bound: ReadonlySet<string>,
  body: DescField | undefined,
): [string, DescField][] {
  return message.fields.flatMap((field): [string, DescField][] => {
    const path = parent + field.name;
    if (bound.has(path) || field === body || field.fieldKind === 'map') return [];
    if (!isObjectMessage(field.message)) return [[path, field]];
    return field.fieldKind === 'list' ? [] : queryFields(field.message, `${path}.`, bound, body);
  });
}

function fieldAt(message: DescMessage, fieldPath: string): DescField {
  const [first, ...rest] = fieldPath.split('.');
  const field = message.fields.find(({ name }) => name === first);
  if (field === undefined) throw new Error(`${message.typeName} has no field ${first}`);
  return rest.length === 0 || field.message === undefined
    ? field
    : fieldAt(field.message, rest.join('.'));
}

function requestBody(
  binding: Binding,
  index: number,
  { schemas, examples }: OperationContext,
): Schema | undefined {
  const { endpoint, template, body, method } = binding;
  if (body === undefined) return undefined;
  const { input } = endpoint.descriptor;
  if (body !== '*') {
    const schema = schemas.value(body, 'request');
    return { required: true, content: { [jsonType]: { schema } } };
  }
  const without = template.variables.map(({ fieldPath }) => fieldPath);
  if (endpoint.http.multipart !== undefined) return multipartBody(binding, schemas, without);
  const name = `${schemaNameOf(input)}${index === 0 ? '' : index + 1}`;
  const { oauthForm } = endpoint.http;
  const optional = authenticatesClient(endpoint) ? oauthFields : [];
  const isGrant = hasGrantType(input);
  const schema = schemas.body(input, { without, optional, isPatch: method === 'PATCH', name });
  const example = examples.request(input, without);
  const isRequired = requiredFields(input).some((field) => !without.includes(field));
  const form = isGrant ? { allOf: [schema, { type: 'object', required: ['grant_type'] }] } : schema;
  const formExample = { ...(isGrant ? { grant_type: 'client_credentials' } : {}), ...example };
  return {
    ...(isRequired ? { required: true } : {}),
    content: {
      [jsonType]: { schema, example },
      ...(oauthForm ? { [formType]: { schema: form, example: formExample } } : {}),
    },
  };
}

function multipartBody(binding: Binding, schemas: Schemas, without: readonly string[]): Schema {
  const { input } = binding.endpoint.descriptor;
  const { multipart } = binding.endpoint.http;
  const { fileField = '', fileNameField = '', contentTypeField = '' } = multipart ?? {};
  const parts = input.fields.filter(
    ({ name }) => ![...without, fileNameField, contentTypeField].includes(name),
  );
  const properties = parts.map((field) => {
    const schema = schemas.property(field, 'request');
    if (field.name !== fileField) return [field.name, schema];
    const { description } = schema;
    return [field.name, { type: 'string', format: 'binary', description }];
  });
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [fileField],
    additionalProperties: false,
  };
  return { required: true, content: { [multipartType]: { schema } } };
}

function successResponses(binding: Binding, context: OperationContext): Schema {
  const { endpoint, responseBody, template } = binding;
  const { http, descriptor } = endpoint;
  if (endpoint.kind === 'server_streaming') {
    const last = template.segments.at(-1);
    const type = last?.kind === 'literal' ? mime.getType(last.text) : null;
    return downloadResponses(descriptor.input, type ?? undefined);
  }
  const message = responseBody?.message ?? descriptor.output;
  const isResource = responseBody === undefined || isObjectMessage(responseBody.message);
  const schema = isResource
    ? context.schemas.reference(message, 'response')
    : context.schemas.value(responseBody, 'response');
  const [, type = jsonType] = binding.responseHeaders;
  const isCached = http.publicMaxAgeSeconds > 0;
  const example = isResource ? context.examples.response(message) : undefined;
  const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
  const setsCookie = context.comments.of(descriptor.parent.typeName).includes('set-cookie');
  const headers = {
    'X-Request-Id': header('RequestId'),
    'Cache-Control': header('CacheControl'),
    ...(http.location === '' ? {} : { Location: header('Location') }),
    ...(isCached ? { ETag: header('ETag') } : {}),
    ...(endpoint.acceptsIdempotencyKey ? { 'Idempotency-Replayed': header('Replayed') } : {}),
    ...(acceptsProof(endpoint) ? { 'DPoP-Nonce': header('Nonce') } : {}),
    ...(setsCookie && endpoint.sideEffects ? { 'Set-Cookie': header('SetCookie') } : {}),
  };
  const status = http.successStatus === 0 ? 200 : http.successStatus;
  const responses: Schema = {
    [status]: {
      description: descriptionOf(message, context),
      headers,
      content: { [type]: { schema, ...(example === undefined ? {} : { example }) } },
    },
  };
  if (isCached) responses[304] = { $ref: '#/components/responses/NotModified' };
  return responses;
}

function descriptionOf(message: DescMessage, { comments }: OperationContext): string {
  if (message.fields.length === 0) return 'Success. The response is an empty object.';
  const [first = ''] = comments.of(message.typeName).split('\n\n');
  return first.startsWith('The response of') ? 'Success.' : first;
}

/** Whether the method issues a token that a DPoP proof can bind to a key. */
const acceptsProof = ({ http, descriptor }: Endpoint): boolean =>
  http.oauthErrors && descriptor.output.fields.some(({ name }) => name === 'access_token');
