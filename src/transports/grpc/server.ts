// gRPC on HTTP/2, with the standard health and reflection services.
import type { Http2Server } from 'node:http2';
import type { Server as NetServer } from 'node:net';
import { type Message, toBinary } from '@bufbuild/protobuf';
import {
  logVerbosity,
  Server,
  ServerCredentials,
  type ServerInterceptingCall,
  type ServerInterceptor,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { type BodyBudgets, budgetOf, unaryBodyBytesMax } from '../../api/body-budget.ts';
import type { Endpoint, ServerStreamingEndpoint } from '../../api/endpoint.ts';
import { type ResponseBudget, reserveDownload } from '../../api/response-budget.ts';
import { networkOf } from '../../base/net/network.ts';
import type { CallAdmission } from '../admission.ts';
import {
  type ConnectionLimits,
  type Connections,
  connectionLimits,
  limitConnections,
} from '../http/connections.ts';
import { acceptWaiting, type BoundSocket } from '../socket.ts';
import type { Tls } from '../tls/tls.ts';
import { messageBytesMax } from './body.ts';
import { GrpcCall } from './call.ts';
import { createHealth } from './health.ts';
import { trackLongLivedCalls } from './long-lived-calls.ts';
import { type CallLimits, callLimits, type GrpcMethod } from './method.ts';
import { type ArrivedCall, http2ServerOf, watchArrivals } from './private-members.ts';
import { addReflection } from './reflection.ts';

export type GrpcTransport = {
  /** Reports NOT_SERVING. Calls are still served. */
  announceStop(): void;
  acceptWaiting(): Promise<void>;
  /** Refuses new calls and lets calls in progress finish. */
  drain(): Promise<void>;
  close(): void;
};

export type GrpcLimits = CallLimits &
  ConnectionLimits & {
    readonly callsPerConnectionMax: number;
    /** The limit of health watchers, which may last indefinitely, and of reflection calls. */
    readonly lastingCallsMax: number;
    readonly lastingCallsPerConnectionMax: number;
    readonly reflectionMs: number;
    /** A connection is ended if its client does not answer a ping in time. */
    readonly pingEveryMs: number;
    readonly pingAnswerMs: number;
  };

const defaultLimits: GrpcLimits = {
  ...callLimits,
  ...connectionLimits,
  callsPerConnectionMax: 100,
  lastingCallsMax: 2000,
  lastingCallsPerConnectionMax: 10,
  reflectionMs: 60_000,
  pingEveryMs: 30_000,
  pingAnswerMs: 15_000,
};

/** The memory limit of a connection in node:http2, in MB. Beyond it, new streams are refused. */
const sessionMegabytesMax = 64;

export type GrpcTransportOptions = {
  readonly endpoints: readonly Endpoint[];
  readonly bodies: BodyBudgets;
  readonly responses: ResponseBudget;
  readonly admission: CallAdmission;
  readonly socket: BoundSocket;
  readonly tls?: Tls | undefined;
  readonly limits: Partial<GrpcLimits>;
};

export async function startGrpcTransport(options: GrpcTransportOptions): Promise<GrpcTransport> {
  // Problems arrive as errors. The library would also print them on the console.
  setLogVerbosity(logVerbosity.NONE);
  const { endpoints, bodies, socket } = options;
  const limits = { ...defaultLimits, ...options.limits };
  let connections: Connections | undefined;
  const tracked = () => {
    if (connections === undefined) throw new Error('the server has not started');
    return connections;
  };
  const lasting = trackLongLivedCalls({
    ...limits,
    budget: bodies.anonymous,
    connections: tracked,
  });
  const methods = new Map(
    endpoints.map((endpoint) => [`/${endpoint.name}`, methodOf(endpoint, options, limits)]),
  );
  let takeArrived = (): ArrivedCall => {
    throw new Error('the server has not started');
  };
  const interceptor: ServerInterceptor = ({ path }, base) => {
    const method = methods.get(path);
    const arrived = takeArrived();
    if (method === undefined) return lasting.intercept(path, base, arrived);
    const call = new GrpcCall(method, base, arrived);
    tracked().add(arrived.stream, call);
    // grpc-js only starts the call.
    return call as unknown as ServerInterceptingCall;
  };
  const server = new Server({
    interceptors: [interceptor],
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_concurrent_streams': limits.callsPerConnectionMax,
    'grpc.keepalive_time_ms': limits.pingEveryMs,
    'grpc.keepalive_timeout_ms': limits.pingAnswerMs,
    'grpc-node.max_session_memory': sessionMegabytesMax,
    // No service reports the counters of channelz.
    'grpc.enable_channelz': 0,
  });
  const services = addServices(server, endpoints);
  const health = createHealth(['', ...services]);
  health.addToServer(server);
  addReflection(server, endpoints);

  // grpc-js binds its port itself. An injector creates its HTTP/2 server without a port.
  server.createConnectionInjector(ServerCredentials.createInsecure());
  const http2Server = http2ServerOf(server);
  takeArrived = watchArrivals(http2Server);
  const listener = options.tls === undefined ? http2Server : await secure(http2Server, options.tls);
  connections = limitConnections(http2Server, limits, listener);
  // Later connections have a certificate of the new CA, or none.
  options.tls?.onClientCaChange('grpc', () => void tracked().retire());
  options.admission.watch(listener);
  await socket.handTo(listener);
  return {
    announceStop: health.announceStop,
    acceptWaiting: () => acceptWaiting(listener),
    async drain() {
      health.announceStop();
      listener.close();
      lasting.end();
      await tracked().retire();
      await new Promise<void>((resolve, reject) => {
        server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
      });
    },
    close() {
      server.forceShutdown();
      tracked().destroy();
    },
  };
}

async function secure(server: Http2Server, tls: Tls): Promise<NetServer> {
  const { createSecureListener } = await import('../tls/tls.ts');
  return createSecureListener(tls, server);
}

function addServices(server: Server, endpoints: readonly Endpoint[]): string[] {
  const names = new Set(endpoints.map((endpoint) => endpoint.descriptor.parent.typeName));
  for (const name of names) {
    const methods = endpoints.filter(({ descriptor }) => descriptor.parent.typeName === name);
    const definitions = methods.map((endpoint) => [
      endpoint.descriptor.name,
      methodDefinition(endpoint),
    ]);
    // Handlers are not needed, because the interceptor handles each call.
    server.addService(Object.fromEntries(definitions), {});
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

function methodOf(
  endpoint: Endpoint,
  { bodies, responses, admission }: GrpcTransportOptions,
  limits: CallLimits,
): GrpcMethod<GrpcCall> {
  const isUpload = endpoint.kind === 'client_streaming';
  const body = {
    budget: budgetOf(endpoint, bodies),
    bytesMax: isUpload ? messageBytesMax : unaryBodyBytesMax,
    isStream: isUpload,
  };
  const serve = admitted(serveOf(endpoint), admission);
  return { endpoint, isUpload, body, limits, responses, serve };
}

/**
 * Serves a call at once, or in a later turn if too many calls began in this one. Refuses the calls
 * of clients that have too many unread responses.
 */
function admitted(serve: (call: GrpcCall) => void, admission: CallAdmission) {
  return (call: GrpcCall) => {
    try {
      call.unread.admit();
    } catch (error) {
      call.refuse(error, false);
      return;
    }
    if (admission.tryBegin()) {
      serve(call);
      return;
    }
    admission.wait({
      isFirst: call.isFirst,
      network: networkOf(call.peer),
      // The budgets of bodies count them.
      bodyBytes: 0,
      isGone: () => call.isGone(),
      begin: () => serve(call),
      refuse: (failure) => call.refuse(failure),
    });
  };
}

function serveOf(endpoint: Endpoint): (call: GrpcCall) => void {
  switch (endpoint.kind) {
    case 'unary':
      return serveResponse((call) => endpoint.invoke(call, () => call.request()));
    case 'client_streaming':
      return serveResponse((call) => endpoint.invoke(call, call.requests()));
    case 'server_streaming':
      return serveDownload(endpoint);
  }
}

function serveResponse(invoke: (call: GrpcCall) => Promise<Message>) {
  return (call: GrpcCall) => {
    invoke(call)
      .then((message) => call.respond(message))
      .catch((error: unknown) => call.refuse(error));
  };
}

function serveDownload(endpoint: ServerStreamingEndpoint) {
  return async (call: GrpcCall) => {
    try {
      let written: Promise<void> | undefined;
      const messages = endpoint.invoke(call, () => call.request());
      for await (const message of messages) {
        // The previous part is sent while the next one is read.
        await written;
        if (call.isGone()) return;
        if (written === undefined) reserveDownload(call.context, call.unread.account);
        written = call.write(message);
        // A client that does not read gets no further part, not even in memory.
        if (!call.unread.readsAhead()) await written;
      }
      await written;
      call.respond();
    } catch (error) {
      call.refuse(error);
    }
  };
}
