// Calls a method of any kind on any transport with a well-formed request.
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  getOption,
  type Message,
  ScalarType,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf';
import { ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { http as httpRule } from '../../gen/google/api/annotations_pb.js';
import { http as httpOption } from '../../gen/latchkey/options/v1/http_pb.js';
import { services } from '../../src/api/services.ts';
import type { App } from '../../src/boot/app.ts';
import type { TransportName } from './matrix.ts';
import { connectError, grpcError, httpRequestOf, type TransportError } from './transports.ts';

export type Outcome = {
  /** An error's code; `ok` for an answer. */
  readonly code: string;
  /** `WWW-Authenticate`, or the gRPC metadata of that name. */
  readonly challenge: string | undefined;
};

/** An outcome with the answer as JSON, or with the error without its request id. */
export type OutcomeWithText = Outcome & { readonly text: string };

export const allMethods: readonly DescMethod[] = Object.values(services).flatMap(
  (service) => service.methods,
);

export type MethodCall = {
  readonly method: DescMethod;
  /** The text fields to set, or the only text of a list; path fields are always set. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Additional fields, by their local names. */
  readonly rest?: Readonly<Record<string, unknown>>;
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly origin?: string | undefined;
  readonly requestId?: string;
};

/** Calls a method and reads its answer to the end. */
export async function callMethod(
  app: App,
  transport: TransportName,
  call: MethodCall,
): Promise<Outcome> {
  const { code, challenge } = await callMethodWithText(app, transport, call);
  return { code, challenge };
}

/** Does the same and returns the whole answer. */
export function callMethodWithText(
  app: App,
  transport: TransportName,
  call: MethodCall,
): Promise<OutcomeWithText> {
  const request = requestOf(call);
  switch (transport) {
    case 'http':
      return overHttp(app, call, request);
    case 'grpc':
      return overGrpc(app, call, request);
    case 'connect':
      return overConnect(app, call, request);
  }
}

function requestOf({ method, fields = {}, rest = {} }: MethodCall): Message {
  const { value: template = '' } = getOption(method, httpRule).pattern as { value?: string };
  const values = new Map<string, unknown>();
  for (const field of method.input.fields) {
    const one = fields[field.name];
    if (field.fieldKind === 'list' && one !== undefined) values.set(field.localName, [one]);
    if (field.fieldKind !== 'scalar') continue;
    const isInPath = template.includes(`{${field.name}}`);
    const given = fields[field.name] ?? (isInPath ? 'none' : undefined);
    if (field.scalar === ScalarType.STRING && given !== undefined) {
      values.set(field.localName, given);
    }
    if (field.scalar === ScalarType.UINT32 && isInPath) values.set(field.localName, 1);
    if (field.scalar === ScalarType.BYTES) values.set(field.localName, Buffer.from('bytes'));
  }
  return create(method.input as DescMessage, { ...Object.fromEntries(values), ...rest });
}

function headersOf({
  authorization,
  cookie,
  origin,
  requestId,
}: MethodCall): Record<string, string> {
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(origin === undefined ? {} : { origin }),
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
  };
}

async function overHttp(app: App, anyCall: MethodCall, message: Message): Promise<OutcomeWithText> {
  const { method } = anyCall;
  const headers = headersOf(anyCall);
  const { multipart } = getOption(method, httpOption);
  const { verb, path, body } = httpRequestOf(method, message);
  const init: RequestInit = { method: verb, headers };
  if (multipart !== undefined) {
    const form = new FormData();
    for (const [name, value] of Object.entries(body ?? {})) {
      const file = () => new Blob([Buffer.from(String(value), 'base64')]);
      if (name === multipart.fileField) form.set(name, file(), 'file.bin');
      else form.set(name, String(value));
    }
    init.body = form;
  } else if (body !== undefined) {
    init.headers = { ...headers, 'content-type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  const response = await fetch(app.publicUrl + path, init);
  const text = await response.text();
  const challenge = response.headers.get('www-authenticate') ?? undefined;
  if (response.ok) return { code: 'ok', challenge, text };
  const { request_id, ...problem } = JSON.parse(text);
  return { code: String(problem.code), challenge, text: JSON.stringify(problem) };
}

function overGrpc(app: App, anyCall: MethodCall, message: Message): Promise<OutcomeWithText> {
  const { method } = anyCall;
  const client = new Client(app.grpcAddress, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headersOf(anyCall))) metadata.set(name, value);
  const path = `/${method.parent.typeName}/${method.name}`;
  const write = (request: Message) => Buffer.from(toBinary(method.input, request));
  const read = (bytes: Buffer) => fromBinary(method.output, bytes);

  const outcome = new Promise<OutcomeWithText>((resolve) => {
    const answers: Message[] = [];
    const done = (error?: ServiceError | null, answer?: Message) => {
      if (answer !== undefined) answers.push(answer);
      const challenge = error?.metadata.get('www-authenticate')[0]?.toString();
      if (!error) resolve({ code: 'ok', challenge, text: textOf(method, answers) });
      else resolve({ challenge, ...saidOf(grpcError(error)) });
    };
    switch (method.methodKind) {
      case 'unary':
        client.makeUnaryRequest(path, write, read, message, metadata, done);
        return;
      case 'client_streaming': {
        const stream = client.makeClientStreamRequest(path, write, read, metadata, done);
        stream.on('error', () => {});
        stream.end(message);
        return;
      }
      default: {
        const stream = client.makeServerStreamRequest(path, write, read, message, metadata);
        stream.on('error', (error: ServiceError) => done(error));
        stream.on('data', (answer: Message) => answers.push(answer));
        stream.on('end', () => done());
      }
    }
  });
  return outcome.finally(() => client.close());
}

async function overConnect(
  app: App,
  anyCall: MethodCall,
  message: Message,
): Promise<OutcomeWithText> {
  const { method } = anyCall;
  const transport = createConnectTransport({ baseUrl: app.publicUrl, httpVersion: '1.1' });
  const client = createClient(method.parent as DescService, transport);
  // The client has one method per descriptor, but the type of the service is unknown here.
  const call = client[method.localName] as unknown as (
    request: unknown,
    options: { headers: Record<string, string> },
  ) => Promise<Message> & AsyncIterable<Message>;
  const headers = headersOf(anyCall);
  const answers: Message[] = [];
  try {
    if (method.methodKind === 'server_streaming') {
      for await (const answer of call(message, { headers })) answers.push(answer);
    } else {
      const request = method.methodKind === 'unary' ? message : one(message);
      answers.push(await call(request, { headers }));
    }
    return { code: 'ok', challenge: undefined, text: textOf(method, answers) };
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    const challenge = error.metadata.get('www-authenticate') ?? undefined;
    return { challenge, ...saidOf(connectError(error)) };
  }
}

function textOf({ output }: DescMethod, answers: readonly Message[]): string {
  return answers.map((answer) => toJsonString(output, answer)).join('\n');
}

function saidOf({ requestId, ...error }: TransportError) {
  return { code: error.code, text: JSON.stringify(error) };
}

async function* one(message: Message): AsyncGenerator<Message> {
  yield message;
}
