// The standard health service (https://github.com/grpc/grpc/blob/master/doc/health-checking.md).
// grpc-health-check would parse its proto at each start, which takes 40 ms. To load it at the first
// call would need more code than this file: it must also know the watchers and the state before.
import {
  create,
  type DescMethod,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Server,
  status as statusCode,
} from '@grpc/grpc-js';
import {
  type HealthCheckRequest,
  type HealthListRequest,
  HealthCheckResponse_ServingStatus as ServingStatus,
  Health as service,
} from '../../../gen/grpc/health/v1/health_pb.js';

export type Health = {
  announceStop(): void;
  addToServer(server: Pick<Server, 'addService'>): void;
};

type Response = MessageInitShape<typeof service.method.check.output>;
type ListResponse = MessageInitShape<typeof service.method.list.output>;

export function createHealth(names: readonly string[]): Health {
  const known = new Set(names);
  const watches = new Set<() => void>();
  let status: ServingStatus = ServingStatus.SERVING;

  const check: handleUnaryCall<HealthCheckRequest, Response> = ({ request }, respond) => {
    if (known.has(request.service)) return respond(null, { status });
    const details = `Health status unknown for service ${request.service}`;
    respond({ code: statusCode.NOT_FOUND, details });
  };
  const watch: handleServerStreamingCall<HealthCheckRequest, Response> = (call) => {
    if (!known.has(call.request.service)) {
      // The watch continues, because a server could add the service later.
      call.write({ status: ServingStatus.SERVICE_UNKNOWN });
      return;
    }
    const send = () => void call.write({ status });
    watches.add(send);
    call.once('cancelled', () => watches.delete(send));
    send();
  };
  const list: handleUnaryCall<HealthListRequest, ListResponse> = (_call, respond) => {
    const statuses = Object.fromEntries(names.map((name) => [name, { status }]));
    respond(null, { statuses });
  };
  const definitions = Object.fromEntries(
    service.methods.map((method) => [method.name, definitionOf(method)]),
  );
  return {
    announceStop() {
      if (status === ServingStatus.NOT_SERVING) return;
      status = ServingStatus.NOT_SERVING;
      for (const send of watches) send();
    },
    addToServer: (server) =>
      server.addService(definitions, { Check: check, Watch: watch, List: list }),
  };
}

function definitionOf({ parent, name, input, output, methodKind }: DescMethod) {
  const encode = (message: MessageInitShape<typeof output>) =>
    Buffer.from(toBinary(output, create(output, message)));
  const decode = (bytes: Buffer) => fromBinary(input, bytes);
  return {
    path: `/${parent.typeName}/${name}`,
    requestStream: false,
    responseStream: methodKind === 'server_streaming',
    // Only clients use these two.
    requestSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
    requestDeserialize: decode,
    responseSerialize: encode,
  };
}
