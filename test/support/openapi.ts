// The OpenAPI document: finds the operation of a request and validates values by its schemas.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createRouter, type Router } from '../../src/transports/gateway/router.ts';
import { rootTemplate } from '../../src/transports/gateway/template.ts';

export type Media = { readonly schema?: object; readonly example?: unknown };
export type Header = { readonly required?: boolean; readonly schema?: object };
export type Response = {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Media>>;
};
export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
};
export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
};
export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

const file = path.resolve(import.meta.dirname, '../../gen/openapi.json');

let whole: OpenApi | undefined;

export function openApi(): OpenApi {
  whole ??= JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  return whole;
}

/** Follows a reference within the document. */
export function resolve<T extends object>(value: T): T {
  if (!('$ref' in value)) return value;
  const steps = String(value.$ref).slice('#/'.length).split('/');
  let found: unknown = openApi();
  for (const step of steps) found = (found as Record<string, unknown>)[step];
  return found as T;
}

let router: Router<Operation> | undefined;

/** The routes of the document without the operations port, in the router of the gateway. */
export function documentedRouter(): Router<Operation> {
  router ??= createRouter(
    Object.entries(openApi().paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { tags }]) => !tags.includes('Operations'))
        .map(([verb, operation]) => ({
          method: verb.toUpperCase(),
          template: path === '/' ? rootTemplate : path.replace(/\{path\}$/, '**'),
          value: operation,
          name: operation.operationId,
        })),
    ),
  );
  return router;
}

let ajv: Ajv2020 | undefined;
const compiled = new WeakMap<object, ValidateFunction>();

/**
 * Returns the errors of a value, or nothing if it is valid. A value may have documented members
 * only, although clients must accept the members of later versions.
 */
export function errorsOf(schema: object, value: unknown): string | undefined {
  const validate = compiled.get(schema) ?? compile(schema);
  return validate(value) ? undefined : loadAjv().errorsText(validate.errors, { dataVar: 'body' });
}

function compile(schema: object): ValidateFunction {
  // References start at the root of the schema.
  const validate = loadAjv().compile(absolute(schema));
  compiled.set(schema, validate);
  return validate;
}

function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'));
}

function loadAjv(): Ajv2020 {
  if (ajv !== undefined) return ajv;
  ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  for (const format of ['uint32', 'uint64']) ajv.addFormat(format, true);
  const schemas = closed(openApi().components.schemas);
  ajv.addSchema({ components: { schemas } }, 'openapi');
  return ajv;
}

/** Forbids undocumented members. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, closed(item)]),
  );
  const isObject = copy.type === 'object' && copy.properties !== undefined;
  return isObject ? { additionalProperties: false, ...copy } : copy;
}
