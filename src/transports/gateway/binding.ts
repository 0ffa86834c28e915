// Binds HTTP requests to the fields of messages by a method's http rule (google.api.http). Computed
// and checked once at start.
import { METHODS } from 'node:http';
import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import type { HttpRule } from '../../../gen/google/api/http_pb.js';
import { DownloadHeaderSchema } from '../../../gen/latchkey/http/v1/download_pb.js';
import type { Multipart } from '../../../gen/latchkey/options/v1/http_pb.js';
import type { Endpoint } from '../../api/endpoint.ts';
import { conditionOf } from '../../api/response-json.ts';
import { jsonType } from '../http/request-body.ts';
import { parseTemplate, type Template } from './template.ts';

export type Binding = {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly template: Template;
  /** `*`: the body contains all fields that are not in the path. A field: the body is its value. */
  readonly body: '*' | DescField | undefined;
  /** The field of the response that is sent; undefined for the whole response. */
  readonly responseBody: DescField | undefined;
  /** The headers of every response: names and values in turn. */
  readonly responseHeaders: readonly string[];
  /** The update mask of a PATCH. Without one, the members of its body are the mask. */
  readonly mask: UpdateMask | undefined;
};

export type UpdateMask = {
  readonly field: DescField;
  mayName(path: string): boolean;
};

/** The main and additional bindings of a method. Throws an error with the method's name. */
export function bindingsOf(endpoint: Endpoint): Binding[] {
  const { rule } = endpoint;
  if (rule === undefined) return [];
  return [rule, ...rule.additionalBindings].map((httpRule) => {
    try {
      return bind(endpoint, httpRule, httpRule === rule);
    } catch (error) {
      throw new Error(`${endpoint.name}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

function bind(endpoint: Endpoint, rule: HttpRule, isFirst: boolean): Binding {
  if (!isFirst && rule.additionalBindings.length > 0) {
    throw new Error('an additional binding must not have additional bindings');
  }
  if (rule.selector !== '') throw new Error('the http rule must not have a selector');
  const { method, path } = pattern(rule);
  const template = parseTemplate(path);
  const { input, output } = endpoint.descriptor;
  for (const variable of template.variables) checkPathVariable(input, variable.fieldPath);
  const body = rule.body === '' || rule.body === '*' ? rule.body : field(input, rule.body);
  if (body !== '' && (method === 'GET' || method === 'HEAD')) {
    throw new Error(`a ${method} rule must not have a body`);
  }
  const responseBody = rule.responseBody === '' ? undefined : field(output, rule.responseBody);
  checkBody(body, template);
  checkStreams(endpoint, body, template, responseBody);
  if (endpoint.http.oauthForm) checkOAuthForm(input, body);
  checkAnswer(endpoint, responseBody);
  return {
    endpoint,
    method,
    template,
    body: body === '' ? undefined : body,
    responseBody,
    responseHeaders: responseHeadersOf(endpoint),
    mask: method === 'PATCH' ? maskOf(input) : undefined,
  };
}

function responseHeadersOf({ http }: Endpoint): string[] {
  const maxAge = http.publicMaxAgeSeconds;
  return [
    ...['content-type', http.contentType === '' ? jsonType : http.contentType],
    ...['x-content-type-options', 'nosniff'],
    ...(http.oauthErrors ? ['pragma', 'no-cache'] : []),
    ...['cache-control', maxAge > 0 ? `public, max-age=${maxAge}, must-revalidate` : 'no-store'],
    ...(maxAge > 0 ? ['access-control-allow-origin', '*'] : []),
  ];
}

function maskOf(message: DescMessage): UpdateMask | undefined {
  const field = message.fields.find(({ name }) => name === 'update_mask');
  if (field?.message?.typeName !== FieldMaskSchema.typeName) return undefined;
  const { type } = getOption(field, fieldRules);
  const named = type.case === 'fieldMask' ? type.value.in : [];
  const mayName = (path: string) => named.length === 0 || named.includes(path);
  return { field, mayName };
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
      // CONNECT asks for a tunnel and has no path (RFC 9110 §9.3.6).
      if (!METHODS.includes(kind) || kind === 'CONNECT')
        throw new Error(`the custom method "${kind}" is not supported`);
      return { method: kind, path };
    }
    case undefined:
      throw new Error('the http rule must have a pattern');
  }
}

function checkPathVariable(message: DescMessage, fieldPath: string): void {
  const last = fieldAt(message, fieldPath);
  if (last.fieldKind !== 'scalar' && last.fieldKind !== 'enum') {
    throw new Error(`the path binds "${fieldPath}", which must be a single value`);
  }
}

function checkBody(body: Binding['body'] | '', { variables }: Template): void {
  if (body === '' || body === '*' || body === undefined) return;
  if (variables.some(({ fieldPath }) => fieldPath === body.name)) {
    throw new Error(`the path binds "${body.name}", which is already the body`);
  }
}

function checkStreams(
  { kind, http, descriptor }: Endpoint,
  body: Binding['body'] | '',
  { variables }: Template,
  responseBody: DescField | undefined,
): void {
  if ((kind === 'client_streaming') !== (http.multipart !== undefined)) {
    throw new Error('a stream of requests and the multipart option must be set together');
  }
  if (http.multipart !== undefined) {
    if (body !== '*') throw new Error('the body of a multipart method must be "*"');
    checkForm(descriptor.input, http.multipart);
    for (const { fieldPath } of variables) {
      if (field(descriptor.input, fieldPath).scalar !== ScalarType.STRING) {
        throw new Error(`the path of a multipart method binds "${fieldPath}": must be a string`);
      }
    }
  }
  if ((kind === 'server_streaming') !== http.download) {
    throw new Error('a stream of responses and the download option must be set together');
  }
  if (http.download) {
    if (responseBody !== undefined) throw new Error('a download must not have a response_body');
    checkDownload(descriptor.output);
  }
}

function checkForm(input: DescMessage, multipart: Multipart): void {
  const { fileField, fileNameField, contentTypeField } = multipart;
  if (field(input, fileField).scalar !== ScalarType.BYTES) {
    throw new Error(`file_field "${fileField}" must be a bytes field`);
  }
  for (const [option, name] of Object.entries({
    file_name_field: fileNameField,
    content_type_field: contentTypeField,
  })) {
    if (name !== '' && field(input, name).scalar !== ScalarType.STRING) {
      throw new Error(`${option} "${name}" must be a string field`);
    }
  }
}

function checkOAuthForm(input: DescMessage, body: Binding['body'] | ''): void {
  if (body !== '*') throw new Error('the body of an OAuth form must be "*"');
  field(input, 'client_id');
  const other = input.fields.find(
    ({ fieldKind, scalar }) =>
      (fieldKind !== 'scalar' && fieldKind !== 'list') || scalar !== ScalarType.STRING,
  );
  if (other === undefined) return;
  throw new Error(`"${other.name}" must have strings, as in every OAuth form`);
}

function checkDownload(output: DescMessage): void {
  const part = output.oneofs.find(({ name }) => name === 'part');
  const header = part?.fields.find(({ name }) => name === 'header');
  const chunk = part?.fields.find(({ name }) => name === 'chunk');
  const isDownload =
    header?.message?.typeName === DownloadHeaderSchema.typeName &&
    chunk?.scalar === ScalarType.BYTES;
  if (!isDownload) throw new Error('a download must stream messages with a header or a chunk');
}

function checkAnswer({ http, descriptor }: Endpoint, responseBody: DescField | undefined): void {
  if (![0, 200, 201].includes(http.successStatus)) {
    throw new Error(`success_status must be 200 or 201, not ${http.successStatus}`);
  }
  conditionOf(descriptor.output);
  const sent = responseBody?.message ?? descriptor.output;
  for (const [, path = ''] of http.location.matchAll(/\{([\w.]+)\}/g)) fieldAt(sent, path);
}

/** The field at a dotted path of proto names. Throws if it does not exist. */
function fieldAt(message: DescMessage, fieldPath: string): DescField {
  const [first = '', ...rest] = fieldPath.split('.');
  const found = field(message, first);
  if (rest.length === 0) return found;
  if (found.fieldKind !== 'message') throw new Error(`"${first}" of "${fieldPath}" has no fields`);
  return fieldAt(found.message, rest.join('.'));
}

function field(message: DescMessage, name: string): DescField {
  const found = message.fields.find((field) => field.name === name);
  if (found === undefined) throw new Error(`${message.typeName} has no field "${name}"`);
  return found;
}

export function topLevelFieldOf(fieldPath: string): string {
  return fieldPath.split('.', 1)[0] ?? '';
}
