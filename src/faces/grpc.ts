// gRPC on HTTP/2, with the standard health and reflection services.
import { create, type DescFile, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { anyPack, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import {
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  logVerbosity,
  Metadata,
  Server,
  ServerCredentials,
  type ServerErrorResponse,
  type ServerUnaryCall,
  setLogVerbosity,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { StatusSchema } from '../../gen/google/rpc/status_pb.js';
import type { Address } from '../config.ts';
import { bareAddress } from '../rpc/address.ts';
import type { BodyBudget } from '../rpc/body-budget.ts';
import { type Call, LazyContext, requestIdFrom } from '../rpc/call.ts';
import type {
  ClientStreamingEndpoint,
  Endpoint,
  ServerStreamingEndpoint,
  UnaryEndpoint,
} from '../rpc/endpoint.ts';
import { type Failure, fail, failureOf } from '../rpc/errors.ts';
import { errorDetails } from '../rpc/status.ts';
import { trackLastingCalls } from './grpc-lasting.ts';

/** One message; an upload's pieces are at most 1 MiB. */
const messageBytesMax = 2 * 1024 * 1024;

export type GrpcFace = {
  readonly port: number;
  /** Refuses new calls, lets those under way finish. */
  drain(): Promise<void>;
  /** Ends whatever is left. */
  close(): void;
};

export type GrpcFaceOptions = {
  readonly endpoints: readonly Endpoint[];
  readonly bodies: BodyBudget;
  readonly address: Address;
};

export async function startGrpcFace({ endpoints, address }: GrpcFaceOptions): Promise<GrpcFace> {
  // What goes wrong reaches us as an error; the library would say it on the console, too.
  setLogVerbosity(logVerbosity.NONE);
  const paths = new Set(endpoints.map(({ name }) => `/${name}`));
  const lasting = trackLastingCalls((path) => paths.has(path));
  const server = new Server({
    interceptors: [lasting.interceptor],
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_concurrent_streams': 1000,
  });
  const services = addServices(server, endpoints);
  const health = new HealthImplementation(
    Object.fromEntries(['', ...services].map((name) => [name, 'SERVING'])),
  );
  health.addToServer(server);
  reflection(endpoints, services).addToServer(server);

  const port = await new Promise<number>((resolve, reject) => {
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    const credentials = ServerCredentials.createInsecure();
    server.bindAsync(`${host}:${address.port}`, credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    port,
    drain() {
      for (const name of ['', ...services]) health.setStatus(name, 'NOT_SERVING');
      lasting.end();
      return new Promise((resolve, reject) => {
        server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
      });
    },
    close: () => server.forceShutdown(),
  };
}

function addServices(server: Server, endpoints: readonly Endpoint[]): string[] {
  const names = new Set(endpoints.map((endpoint) => endpoint.descriptor.parent.typeName));
  for (const name of names) {
    const methods = endpoints.filter(({ descriptor }) => descriptor.parent.typeName === name);
    const entries = <T>(of: (endpoint: Endpoint) => T) =>
      Object.fromEntries(methods.map((endpoint) => [endpoint.descriptor.name, of(endpoint)]));
    server.addService(entries(methodDefinition), entries(handler));
  }
  return [...names];
}

/** Requests stay bytes until the guard asks for them. */
function methodDefinition({ descriptor, name, kind }: Endpoint) {
  const encode = (message: Message) => {
    const { buffer, byteOffset, byteLength } = toBinary(descriptor.output, message);
    return Buffer.from(buffer, byteOffset, byteLength);
  };
  const keep = (bytes: Buffer) => bytes;
  return {
    path: `/${name}`,
    requestStream: kind === 'client_streaming',
    responseStream: kind === 'server_streaming',
    requestSerialize: keep,
    requestDeserialize: keep,
    responseSerialize: encode,
    responseDeserialize: keep,
  };
}

function handler(endpoint: Endpoint): UntypedHandleCall {
  switch (endpoint.kind) {
    case 'unary':
      return unary(endpoint);
    case 'client_streaming':
      return clientStreaming(endpoint);
    case 'server_streaming':
      return serverStreaming(endpoint);
  }
}

function unary(endpoint: UnaryEndpoint): handleUnaryCall<Buffer, Message> {
  return (grpcCall, callback) => {
    const call = callOf(endpoint, grpcCall);
    endpoint
      .invoke(call, () => decode(endpoint, grpcCall.request))
      .then(
        (message) => {
          // The head goes together with the answer, which saves a write of its own.
          sendHead(grpcCall, call);
          callback(null, message);
        },
        (error: unknown) => {
          sendHead(grpcCall, call);
          callback(errorResponse(failureOf(error), call));
        },
      );
  };
}

function clientStreaming(
  endpoint: ClientStreamingEndpoint,
): handleClientStreamingCall<Buffer, Message> {
  return (grpcCall, callback) => {
    const call = callOf(endpoint, grpcCall);
    sendHead(grpcCall, call);
    async function* requests(): AsyncGenerator<Message> {
      try {
        for await (const bytes of grpcCall) yield decode(endpoint, bytes);
      } catch (cause) {
        throw grpcCall.cancelled ? fail('canceled', 'The caller went away.', { cause }) : cause;
      }
      if (await wasCancelled(grpcCall)) throw fail('canceled', 'The caller went away.');
    }
    endpoint.invoke(call, requests()).then(
      (message) => callback(null, message),
      (error: unknown) => callback(errorResponse(failureOf(error), call)),
    );
  };
}

/**
 * Tells a stream that the caller has ended from one that it has broken off. Both end, and grpc-js
 * notices the difference only later, unless something is sent; the head was sent already, so that
 * this sends nothing.
 */
async function wasCancelled(
  grpcCall: Parameters<handleClientStreamingCall<Buffer, Message>>[0],
): Promise<boolean> {
  grpcCall.sendMetadata(new Metadata());
  await new Promise((resolve) => setImmediate(resolve));
  return grpcCall.cancelled;
}

function serverStreaming(
  endpoint: ServerStreamingEndpoint,
): handleServerStreamingCall<Buffer, Message> {
  return async (grpcCall) => {
    const call = callOf(endpoint, grpcCall);
    sendHead(grpcCall, call);
    try {
      for await (const message of endpoint.invoke(call, () => decode(endpoint, grpcCall.request))) {
        if (grpcCall.cancelled) return;
        if (!grpcCall.write(message)) await drained(grpcCall);
      }
      grpcCall.end();
    } catch (error) {
      // Not destroy(): a call that is destroyed never sends its status.
      if (!grpcCall.cancelled) grpcCall.emit('error', errorResponse(failureOf(error), call));
    }
  };
}

/** Waits until the caller has taken what was written, or has gone. */
function drained(grpcCall: Parameters<handleServerStreamingCall<Buffer, Message>>[0]) {
  return new Promise<void>((resolve) => {
    const done = () => {
      grpcCall.off('drain', done).off('cancelled', done);
      resolve();
    };
    grpcCall.once('drain', done).once('cancelled', done);
    if (grpcCall.cancelled) done();
  });
}

function decode(endpoint: Endpoint, bytes: Buffer): Message {
  try {
    return fromBinary(endpoint.descriptor.input, bytes);
  } catch (cause) {
    throw fail('invalid_argument', 'The request is not a message of the method.', { cause });
  }
}

type AnyCall = Pick<
  ServerUnaryCall<Buffer, Message>,
  'metadata' | 'getPeer' | 'getDeadline' | 'sendMetadata' | 'cancelled'
> & { once(event: 'cancelled', listener: () => void): unknown };

type GrpcCall = Call & { readonly context: LazyContext };

function callOf(endpoint: Endpoint, grpcCall: AnyCall): GrpcCall {
  const header = (name: string) => {
    const value = grpcCall.metadata.get(name)[0];
    return typeof value === 'string' ? value : undefined;
  };
  const requestId = requestIdFrom(header('x-request-id'));
  const context = new LazyContext({
    method: endpoint.descriptor,
    protocolName: 'grpc',
    requestMethod: 'POST',
    url: `/${endpoint.name}`,
    headers: () => headersOf(grpcCall.metadata),
    onGone: (abort) => {
      grpcCall.once('cancelled', () => abort(fail('canceled', 'The caller went away.')));
    },
    timeoutMs: () => {
      const deadline = Number(grpcCall.getDeadline());
      return Number.isFinite(deadline) ? deadline - Date.now() : undefined;
    },
  });
  const peer = bareAddress(withoutPort(grpcCall.getPeer()));
  return { face: 'grpc', requestId, peer, header, context, isGone: () => grpcCall.cancelled };
}

function withoutPort(address: string): string {
  const colon = address.lastIndexOf(':');
  return colon === -1 ? address : address.slice(0, colon);
}

/** Sends what the handler has set, too, where it has come to its end. */
function sendHead(grpcCall: AnyCall, { requestId, context }: GrpcCall): void {
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  for (const [name, value] of context.touchedResponseHeader ?? []) metadata.add(name, value);
  grpcCall.sendMetadata(metadata);
}

function headersOf(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (typeof value === 'string') headers.append(name, value);
  }
  return headers;
}

/** The status, and google.rpc.Status with its details (`grpc-status-details-bin`). */
function errorResponse(failure: Failure, call: Call): ServerErrorResponse {
  const details = errorDetails(failure, call.requestId);
  const status = create(StatusSchema, {
    code: failure.grpc,
    message: failure.message,
    details: details.map(({ desc, value }) => anyPack(desc, create(desc, value))),
  });
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(toBinary(StatusSchema, status)));
  if (failure.extra.challenge !== undefined) {
    metadata.set('www-authenticate', failure.extra.challenge);
  }
  // Connect and grpc-js number the same codes of the gRPC specification.
  const code: number = failure.grpc;
  return { name: failure.name, message: failure.message, code, metadata };
}

function reflection(endpoints: readonly Endpoint[], services: string[]): ReflectionService {
  const files = new Map<string, Buffer>();
  const add = (file: DescFile) => {
    if (files.has(file.name)) return;
    file.dependencies.forEach(add);
    files.set(file.name, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  };
  for (const { descriptor } of endpoints) add(descriptor.parent.file);
  // The package definition of proto-loader, of which only the descriptors are read.
  const definition = { latchkey: { fileDescriptorProtos: [...files.values()] } };
  return new ReflectionService(definition as never, { services });
}
