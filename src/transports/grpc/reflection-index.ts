// The descriptors that reflection serves: our services, the standard ones, and error details.
import { type DescFile, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import {
  type MethodDefinition,
  type ServerDuplexStream,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { file_google_rpc_error_details } from '../../../gen/google/rpc/error_details_pb.js';
import { file_google_rpc_status } from '../../../gen/google/rpc/status_pb.js';
import { Health } from '../../../gen/grpc/health/v1/health_pb.js';
import { ServerReflection } from '../../../gen/grpc/reflection/v1/reflection_pb.js';
import * as alpha from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import type { Endpoint } from '../../api/endpoint.ts';

/** The services of the libraries. Their own descriptors have names that clients cannot resolve. */
const standard = [Health, ServerReflection, alpha.ServerReflection];

type BytesCall = ServerDuplexStream<Buffer, Buffer>;

export type ReflectionHandlers = ReadonlyMap<string, (call: BytesCall) => void>;

export function createReflectionHandlers(endpoints: readonly Endpoint[]): ReflectionHandlers {
  const files = new Map<string, Buffer>();
  const add = (file: DescFile) => {
    if (files.has(file.name)) return;
    file.dependencies.forEach(add);
    files.set(file.name, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  };
  for (const { descriptor } of endpoints) add(descriptor.parent.file);
  // No method refers to the error details; clients look them up by name.
  add(file_google_rpc_error_details);
  add(file_google_rpc_status);
  for (const { file } of standard) add(file);
  const services = [...endpoints.map(({ descriptor }) => descriptor.parent), ...standard];
  const names = new Set(services.map(({ typeName }) => typeName));
  // The library expects a package definition of proto-loader but reads only the descriptors.
  const definition = { latchkey: { fileDescriptorProtos: [...files.values()] } };
  const reflection = new ReflectionService(definition as never, { services: [...names] });
  const handlers = new Map<string, (call: BytesCall) => void>();
  const collector = {
    addService(service: ServiceDefinition, implementation: UntypedServiceImplementation) {
      for (const [name, method] of Object.entries(service)) {
        const handle = implementation[name] as unknown as Handle;
        handlers.set(method.path, (call) => handle(decodeCall(call, method)));
      }
    },
  };
  reflection.addToServer(collector as never);
  return handlers;
}

type DecodedCall = {
  on(event: string, listener: (message?: unknown) => void): void;
  write(message: unknown): void;
  end(): void;
};

type Handle = (call: DecodedCall) => void;

function decodeCall(call: BytesCall, method: MethodDefinition<unknown, unknown>): DecodedCall {
  let isEnded = false;
  return {
    on(event, listener) {
      if (event !== 'data') call.on(event, listener);
      else call.on(event, (bytes: Buffer) => decode(bytes, listener));
    },
    write: (message) => void call.write(method.responseSerialize(message)),
    end: () => void call.end(),
  };
  function decode(bytes: Buffer, listener: (message: unknown) => void): void {
    // A later response would fail, and grpc-js would then not send the status of the error.
    if (isEnded) return;
    try {
      listener(method.requestDeserialize(bytes));
    } catch {
      isEnded = true;
      call.emit('error', { code: status.INTERNAL, details: 'The request is not a valid message.' });
    }
  }
}
