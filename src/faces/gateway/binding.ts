// How a method's http rule (google.api.http) binds an HTTP request to the fields of its messages,
// worked out and checked once, at start.
import { type DescField, type DescMessage, getOption } from '@bufbuild/protobuf';
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import type { HttpRule } from '../../../gen/google/api/http_pb.js';
import type { Endpoint } from '../../rpc/endpoint.ts';
import { parseTemplate, type Template } from './template.ts';

export type Binding = {
  readonly endpoint: Endpoint;
  /** In upper case. */
  readonly method: string;
  readonly template: Template;
  /** `*`: the body is the whole request but for the path's fields. A field: its value. Undefined: none. */
  readonly body: '*' | DescField | undefined;
  /** The field of the response that is sent; undefined for all of it. */
  readonly responseBody: DescField | undefined;
  /** The top-level fields that the path binds, which neither body nor query may give again. */
  readonly pathFields: ReadonlySet<string>;
  /** For a PATCH whose request has an `update_mask`: the fields that may stand in it. */
  readonly maskable: ReadonlySet<string> | undefined;
};

/** The bindings of a method: its rule's own and the additional ones. Throws, naming the method. */
export function bindingsOf(endpoint: Endpoint): Binding[] {
  const { rule } = endpoint;
  if (rule === undefined) return [];
  return [rule, ...rule.additionalBindings].map((one) => {
    try {
      return bind(endpoint, one, one === rule);
    } catch (error) {
      throw new Error(`${endpoint.name}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

function bind(endpoint: Endpoint, rule: HttpRule, isFirst: boolean): Binding {
  if (!isFirst && rule.additionalBindings.length > 0) {
    throw new Error('an additional binding has additional bindings of its own');
  }
  if (rule.selector !== '') throw new Error('the http rule has a selector');
  const { method, path } = pattern(rule);
  const template = parseTemplate(path);
  const { input, output } = endpoint.descriptor;
  for (const variable of template.variables) checkPathVariable(input, variable.fieldPath);
  const body = rule.body === '' || rule.body === '*' ? rule.body : field(input, rule.body);
  if (body !== '' && (method === 'GET' || method === 'HEAD')) {
    throw new Error(`a ${method} request has no body`);
  }
  const responseBody = rule.responseBody === '' ? undefined : field(output, rule.responseBody);
  checkStreams(endpoint, body, responseBody);
  return {
    endpoint,
    method,
    template,
    body: body === '' ? undefined : body,
    responseBody,
    pathFields: new Set(template.variables.map(({ fieldPath }) => topOf(fieldPath))),
    maskable: method === 'PATCH' ? maskableFields(input) : undefined,
  };
}

/** What the rule of `update_mask` lets through; without a rule, every field but itself. */
function maskableFields(message: DescMessage): ReadonlySet<string> | undefined {
  const mask = message.fields.find((one) => one.name === 'update_mask');
  if (mask === undefined) return undefined;
  const { type } = getOption(mask, fieldRules);
  if (type.case === 'fieldMask' && type.value.in.length > 0) return new Set(type.value.in);
  return new Set(message.fields.filter((one) => one !== mask).map((one) => one.name));
}

function pattern(rule: HttpRule): { method: string; path: string } {
  switch (rule.pattern.case) {
    case 'get':
    case 'put':
    case 'post':
    case 'delete':
    case 'patch':
      return { method: rule.pattern.case.toUpperCase(), path: rule.pattern.value };
    case 'custom': {
      const { kind, path } = rule.pattern.value;
      if (!/^[A-Z]+$/.test(kind)) throw new Error(`the custom method "${kind}" is not supported`);
      return { method: kind, path };
    }
    case undefined:
      throw new Error('the http rule has no pattern');
  }
}

/** Throws where a variable of the path names no field, or one that a path cannot hold. */
function checkPathVariable(message: DescMessage, fieldPath: string): void {
  const last = fieldAt(message, fieldPath);
  if (last.fieldKind !== 'scalar' && last.fieldKind !== 'enum') {
    throw new Error(`the path binds "${fieldPath}", which is not a single value`);
  }
}

function checkStreams(
  { kind, http }: Endpoint,
  body: Binding['body'] | '',
  responseBody: DescField | undefined,
): void {
  const isUpload = http.multipart !== undefined;
  if ((kind === 'client_streaming') !== isUpload) {
    throw new Error('a stream of requests and the multipart option go together');
  }
  if (isUpload && body !== '*') throw new Error('a multipart body is bound with "*"');
  if ((kind === 'server_streaming') !== http.download) {
    throw new Error('a stream of responses and the download option go together');
  }
  if (http.download && responseBody !== undefined) {
    throw new Error('a download has no response_body');
  }
}

/** The field at a dotted path of proto names. Throws where there is none. */
export function fieldAt(message: DescMessage, fieldPath: string): DescField {
  const [first = '', ...rest] = fieldPath.split('.');
  const found = field(message, first);
  if (rest.length === 0) return found;
  if (found.fieldKind !== 'message') throw new Error(`"${first}" of "${fieldPath}" has no fields`);
  return fieldAt(found.message, rest.join('.'));
}

function field(message: DescMessage, name: string): DescField {
  const found = message.fields.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${message.typeName} has no field "${name}"`);
  return found;
}

export function topOf(fieldPath: string): string {
  return fieldPath.split('.', 1)[0] ?? '';
}
