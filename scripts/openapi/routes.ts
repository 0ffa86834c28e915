// The operations of routes that are not methods, from the descriptions at their definitions.

import type { HttpRoute } from '../../src/api/routes/route.ts';
import type { RouteAnswer, RouteDoc, RouteField } from '../../src/api/routes/route-doc.ts';
import type { ErrorCode } from '../../src/base/errors/catalogue.ts';
import { formType } from '../../src/transports/http/request-body.ts';
import { errorHeaders, errorResponses } from './errors.ts';
import type { Schema } from './schema.ts';

/** The schemas of routes by their titles, which become the names of types in generated clients. */
export type NamedSchemas = Record<string, Schema>;

/** A path and its operation. A path that ends in `**` is two paths. */
export function operationsOfRoute(
  { method, path, doc }: HttpRoute,
  named: NamedSchemas,
): [string, string, Schema][] {
  const verb = method.toLowerCase();
  const operation = operationOfDoc(doc, named);
  if (!path.endsWith('/**')) return [[path, verb, operation]];
  const rest = {
    name: 'path',
    in: 'path',
    required: true,
    description: 'Any path. It may contain slashes.',
    schema: { type: 'string' },
    example: 'documents',
  };
  const inner = {
    ...operation,
    operationId: `${doc.id}Path`,
    parameters: [rest, ...((operation.parameters as Schema[] | undefined) ?? [])],
  };
  const folder = path.slice(0, -'/**'.length);
  return [
    [folder, verb, operation],
    [`${folder}/{path}`, verb, inner],
  ];
}

export function operationOfDoc(doc: RouteDoc, named: NamedSchemas): Schema {
  const { id, tag, summary, description, form } = doc;
  const general: readonly ErrorCode[] = tag === 'Operations' ? [] : ['internal', 'unavailable'];
  const causes = new Map(
    [...doc.errors, ...general].map((code): [ErrorCode, string] => [code, '']),
  );
  const errors = errorResponses(causes, false);
  const responses: Record<string, Schema> = { ...errors };
  for (const [status, answer] of Object.entries(doc.responses)) {
    responses[status] = withProblem(responseOf(answer, { tag, status, named }), errors[status]);
  }
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: [
      ...(doc.needsAccess === true ? [{}, { link_access: [] }] : []),
      ...(doc.acceptsPrograms === true ? [{ session: [] }] : []),
    ],
    parameters: parametersOf(doc),
    ...(form === undefined ? {} : { requestBody: bodyOf(form) }),
    responses,
  };
}

type ResponseOptions = {
  readonly tag: string;
  readonly status: string;
  readonly named: NamedSchemas;
};

function responseOf(answer: RouteAnswer, { tag, status, named }: ResponseOptions): Schema {
  const { description, types, schema, headers = {} } = answer;
  const own = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  const common = {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    'Cache-Control': { $ref: '#/components/headers/CacheControl' },
    ...errorHeaders(Number(status)),
  };
  const body = withReferences(schema ?? { type: 'string' }, named);
  const content = types?.map((type) => {
    const isText = /^(text\/|application\/(jwk-set\+)?json|image\/svg)/.test(type);
    return [type, { schema: isText ? body : { type: 'string', format: 'binary' } }];
  });
  return {
    description,
    headers: { ...(tag === 'Operations' ? {} : common), ...Object.fromEntries(own) },
    ...(content === undefined ? {} : { content: Object.fromEntries(content) }),
  };
}

/** Moves each schema with a title to the named ones, and leaves a reference. */
function withReferences(schema: Schema, named: NamedSchemas): Schema {
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    isSchema(value) ? withReferences(value, named) : value,
  ]);
  const whole: Schema = Object.fromEntries(entries);
  const { title, ...rest } = whole;
  if (typeof title !== 'string') return whole;
  named[title] = rest;
  return { $ref: `#/components/schemas/${title}` };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A status that HTML and an error of the catalogue share. */
function withProblem(response: Schema, error: Schema | undefined): Schema {
  if (error === undefined) return response;
  const problem = { schema: { $ref: '#/components/schemas/Problem' } };
  const content = { ...(response.content as Schema), 'application/problem+json': problem };
  return { ...response, content };
}

function parametersOf({ path = {}, query = {}, headers = [] }: RouteDoc): Schema[] {
  const variables = Object.entries(path).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
    example: 'Vb8Tq2ZpLcR7sWd4n3mKx9',
  }));
  const parameters = Object.entries(query).map(([name, field]) => ({
    name,
    in: 'query',
    description: field.description,
    schema: schemaOf(field),
  }));
  return [
    ...variables,
    ...parameters,
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function schemaOf({ pattern, lengthMax }: RouteField): Schema {
  return {
    type: 'string',
    ...(pattern === undefined ? {} : { pattern }),
    ...(lengthMax === undefined ? {} : { maxLength: lengthMax }),
  };
}

function bodyOf(form: NonNullable<RouteDoc['form']>): Schema {
  const fields = Object.entries(form);
  const properties = fields.map(([name, field]) => [
    name,
    { ...schemaOf(field), description: field.description },
  ]);
  const required = fields.flatMap(([name, { isRequired }]) => (isRequired === true ? [name] : []));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
  return { content: { [formType]: { schema } } };
}
