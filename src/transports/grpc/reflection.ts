// The standard reflection services. The library and its index are loaded at the first call, because
// few servers are asked, and loading takes 130 ms.
import { type handleBidiStreamingCall, type Server, status } from '@grpc/grpc-js';
import { ServerReflection } from '../../../gen/grpc/reflection/v1/reflection_pb.js';
import * as alpha from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import type { Endpoint } from '../../api/endpoint.ts';
import type { ReflectionHandlers } from './reflection-index.ts';

type Handler = handleBidiStreamingCall<Buffer, Buffer>;

export function addReflection(server: Server, endpoints: readonly Endpoint[]): void {
  let loading: Promise<ReflectionHandlers> | undefined;
  async function load(): Promise<ReflectionHandlers> {
    const { createReflectionHandlers } = await import('./reflection-index.ts');
    return createReflectionHandlers(endpoints);
  }
  for (const { method, typeName } of [ServerReflection, alpha.ServerReflection]) {
    const { name } = method.serverReflectionInfo;
    const path = `/${typeName}/${name}`;
    const handler: Handler = (call) => {
      loading ??= load();
      loading.then(
        (handlers) => handlers.get(path)?.(call),
        () => {
          loading = undefined;
          call.emit('error', { code: status.UNAVAILABLE, details: 'Reflection cannot be loaded.' });
        },
      );
    };
    server.addService({ [name]: { path, ...bytesInAndOut } }, { [name]: handler });
  }
}

const keep = (bytes: Buffer) => bytes;

const bytesInAndOut = {
  requestStream: true,
  responseStream: true,
  requestSerialize: keep,
  requestDeserialize: keep,
  responseSerialize: keep,
  responseDeserialize: keep,
};
