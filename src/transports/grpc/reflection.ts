// The descriptors that reflection serves: our services, the standard ones, and error details.
import { type DescFile, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { file_google_rpc_error_details } from '../../../gen/google/rpc/error_details_pb.js';
import { file_google_rpc_status } from '../../../gen/google/rpc/status_pb.js';
import { Health } from '../../../gen/grpc/health/v1/health_pb.js';
import { ServerReflection } from '../../../gen/grpc/reflection/v1/reflection_pb.js';
import * as alpha from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import type { Endpoint } from '../../api/endpoint.ts';

/** The services of the libraries. Their own descriptors have names that clients cannot resolve. */
const standard = [Health, ServerReflection, alpha.ServerReflection];

/** Adds reflection for the endpoints, the standard services, and the details of errors. */
export function addReflection(server: Server, endpoints: readonly Endpoint[]): void {
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
  reflection.addToServer(server);
}
