// Clients of the three transports. Every case of a table runs on each: the same call over
// HTTP/JSON, gRPC and Connect, and the same shape of answer.
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import {
  type ChannelCredentials,
  Client,
  type ClientOptions,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { http as httpRule } from '../../gen/google/api/annotations_pb.js';
import {
  BadRequestSchema,
  type ErrorInfo,
  ErrorInfoSchema,
  RequestInfoSchema,
} from '../../gen/google/rpc/error_details_pb.js';
import { StatusSchema } from '../../gen/google/rpc/status_pb.js';
import type { App } from '../../src/boot/app.ts';

/** An error as a transport returned it. */
export type TransportError = {
  readonly code: string;
  readonly grpc: Code;
  readonly message: string;
  readonly requestId: string;
  /** The invalid fields, by proto name. */
  readonly fields: string[];
};

export type TransportAnswer<M> =
  | { readonly ok: true; readonly message: M }
  | { readonly ok: false; readonly error: TransportError };

export type Credential = {
  readonly authorization?: string;
  readonly requestId?: string;
  readonly cookie?: string;
  readonly origin?: string;
  readonly idempotencyKey?: string;
  readonly dpop?: string;
  readonly ifMatch?: string;
  /** Called with the headers or the metadata of the answer. */
  readonly onHeaders?: (headers: Headers) => void;
};

export type UnaryMethod = DescMethod & { methodKind: 'unary' };

export type Transport = {
  readonly name: 'http' | 'grpc' | 'connect';
  call<M extends UnaryMethod>(
    method: M,
    request: MessageInitShape<M['input']>,
    credential?: Credential,
  ): Promise<TransportAnswer<MessageShape<M['output']>>>;
  close(): void;
};

/** The addresses of an app, or of a separate process. */
export type Addresses = Pick<App, 'publicUrl' | 'grpcAddress'>;

export function openTransports(app: Addresses, options: ClientOptions = {}): Transport[] {
  // Each transport returns the method's output; the type is restored only here.
  return [httpTransport(app), grpcTransport(app, options), connectTransport(app)] as Transport[];
}

/** A transport whose answers are untyped. */
type PlainTransport = Omit<Transport, 'call'> & {
  call(
    method: UnaryMethod,
    request: MessageInitShape<DescMessage>,
    credential?: Credential,
  ): Promise<TransportAnswer<Message>>;
};

export const transportNames = ['http', 'grpc', 'connect'] as const;

export function headersOf({ requestId, ...credential }: Credential): Record<string, string> {
  const { authorization, cookie, origin, idempotencyKey, dpop, ifMatch } = credential;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(origin === undefined ? {} : { origin }),
    ...(dpop === undefined ? {} : { dpop }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
}

function headersOfMetadata(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const [name] of Object.entries(metadata.getMap())) {
    for (const value of metadata.get(name)) {
      if (typeof value === 'string') headers.append(name, value);
    }
  }
  return headers;
}

/** Builds the HTTP request for a message from the method's http rule. */
export function httpRequestOf(method: DescMethod, message: Message) {
  const rule = getOption(method, httpRule);
  const { case: verb, value: template } = rule.pattern;
  if (verb === undefined || verb === 'custom') throw new Error(`${method.name} has no HTTP path`);
  const json = toJson(method.input, message, { useProtoFieldName: true }) as JsonObject;
  const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = json[name];
    delete json[name];
    return encodeURIComponent(String(value));
  });
  if (rule.body === '*') return { verb: verb.toUpperCase(), path, body: json };
  const query = new URLSearchParams(
    Object.entries(json).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { verb: verb.toUpperCase(), path: query.size === 0 ? path : `${path}?${query}` };
}

function httpTransport(app: Addresses): PlainTransport {
  return {
    name: 'http',
    async call(method, init, credential = {}) {
      const request = httpRequestOf(method, create(method.input, init));
      const response = await fetch(app.publicUrl + request.path, {
        method: request.verb,
        headers: { ...headersOf(credential), 'content-type': 'application/json' },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      credential.onHeaders?.(response.headers);
      const json = (await response.json()) as JsonObject;
      if (!response.ok) return { ok: false, error: problemError(json) };
      const { responseBody } = getOption(method, httpRule);
      const whole: JsonValue = responseBody === '' ? json : { [responseBody]: json };
      return { ok: true, message: fromJson(method.output, whole) };
    },
    close() {},
  };
}

const grpcCodes: Record<number, Code> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  409: Code.FailedPrecondition,
  410: Code.NotFound,
  412: Code.FailedPrecondition,
  413: Code.ResourceExhausted,
  416: Code.OutOfRange,
  429: Code.ResourceExhausted,
  500: Code.Internal,
  503: Code.Unavailable,
};

export function problemError(json: JsonObject): TransportError {
  const errors = (json.errors ?? []) as { field: string }[];
  return {
    code: String(json.code),
    grpc: grpcCodes[Number(json.status)] ?? Code.Unknown,
    message: String(json.detail),
    requestId: String(json.request_id),
    fields: errors.map(({ field }) => field),
  };
}

/** Only gRPC, over TLS. On Node 26, grpc-js refuses TLS to an IP address. */
export function openGrpcTransport(
  app: Pick<Addresses, 'grpcAddress'>,
  channel: ChannelCredentials,
  options: ClientOptions = {},
): Transport {
  const grpcAddress = app.grpcAddress.replace('127.0.0.1', 'localhost');
  return grpcTransport({ grpcAddress }, options, channel) as Transport;
}

function grpcTransport(
  app: Pick<Addresses, 'grpcAddress'>,
  options: ClientOptions,
  channel = credentials.createInsecure(),
): PlainTransport {
  const client = new Client(app.grpcAddress, channel, options);
  return {
    name: 'grpc',
    call(method, init, credential = {}) {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headersOf(credential))) metadata.set(name, value);
      return new Promise((resolve) => {
        const sent = client.makeUnaryRequest(
          `/${method.parent.typeName}/${method.name}`,
          (message: Message) => Buffer.from(toBinary(method.input, message)),
          (bytes: Buffer) => fromBinary(method.output, bytes),
          create(method.input, init),
          metadata,
          (error, message) => {
            if (error !== null) {
              credential.onHeaders?.(headersOfMetadata(error.metadata));
              resolve({ ok: false, error: grpcError(error) });
            } else if (message !== undefined) resolve({ ok: true, message });
          },
        );
        sent.on('metadata', (head: Metadata) => credential.onHeaders?.(headersOfMetadata(head)));
      });
    },
    close: () => client.close(),
  };
}

/** Reads google.rpc.Status from a gRPC error's metadata. */
export function grpcError(error: ServiceError): TransportError {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  if (!(bytes instanceof Buffer)) {
    return {
      code: '',
      grpc: Number(error.code),
      message: error.details,
      requestId: '',
      fields: [],
    };
  }
  const { details } = fromBinary(StatusSchema, bytes);
  const find = (name: string) => details.find(({ typeUrl }) => typeUrl.endsWith(`/${name}`))?.value;
  const info = find(ErrorInfoSchema.typeName);
  const request = find(RequestInfoSchema.typeName);
  const bad = find(BadRequestSchema.typeName);
  const violations = bad === undefined ? [] : fromBinary(BadRequestSchema, bad).fieldViolations;
  return {
    code: info === undefined ? '' : codeOfInfo(fromBinary(ErrorInfoSchema, info)),
    grpc: Number(error.code),
    message: error.details,
    requestId: request === undefined ? '' : fromBinary(RequestInfoSchema, request).requestId,
    fields: violations.map(({ field }) => field),
  };
}

function connectTransport(app: Addresses): PlainTransport {
  const transport = createConnectTransport({ baseUrl: app.publicUrl, httpVersion: '1.1' });
  return {
    name: 'connect',
    async call(method, init, credential = {}) {
      const client = createClient(method.parent as DescService, transport);
      // The client has one method per descriptor, but the type of the service is unknown here.
      const call = client[method.localName] as unknown as (
        request: unknown,
        options: { headers: Record<string, string>; onHeader: (headers: Headers) => void },
      ) => Promise<Message>;
      const onHeader = credential.onHeaders ?? (() => {});
      try {
        const message = await call(init, { headers: headersOf(credential), onHeader });
        return { ok: true, message };
      } catch (thrown) {
        const error = ConnectError.from(thrown);
        onHeader(error.metadata);
        return { ok: false, error: connectError(error) };
      }
    },
    close() {},
  };
}

/** Empty if the error is not one of the service. docs/stability.md promises the domain. */
const codeOfInfo = (info: ErrorInfo | undefined) =>
  info?.domain === 'latchkey' ? info.reason : '';

export function connectError(error: ConnectError): TransportError {
  const [bad] = error.findDetails(BadRequestSchema);
  return {
    code: codeOfInfo(error.findDetails(ErrorInfoSchema)[0]),
    grpc: Number(error.code),
    message: error.rawMessage,
    requestId: error.findDetails(RequestInfoSchema)[0]?.requestId ?? '',
    fields: bad?.fieldViolations.map(({ field }) => field) ?? [],
  };
}
