// The descriptors that reflection serves: our services, the standard ones, and error details.
import { type DescFile, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { file_google_rpc_error_details } from '../../gen/google/rpc/error_details_pb.js';
import { file_google_rpc_status } from '../../gen/google/rpc/status_pb.js';
import type { Endpoint } from '../rpc/endpoint.ts';

/** A service that adds itself to a server. */
type Standard = { addToServer(server: Server): void };

/** Adds reflection for the endpoints, for `standard` services and for itself. */
export function addReflection(
  server: Server,
  endpoints: readonly Endpoint[],
  standard: readonly Standard[],
): void {
  const files = new Map<string, Buffer>();
  const add = (file: DescFile) => {
    if (files.has(file.name)) return;
    file.dependencies.forEach(add);
    files.set(file.name, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  };
  for (const { descriptor } of endpoints) add(descriptor.parent.file);
  // The details of errors are in no method's type; a client looks them up by name.
  add(file_google_rpc_error_details);
  add(file_google_rpc_status);
  const itself = new ReflectionService({}, { services: [] });
  const methods = [...standard, itself].flatMap(methodsOf);
  const services = new Set([
    ...endpoints.map(({ descriptor }) => descriptor.parent.typeName),
    ...methods.map(({ path }) => path.slice(1, path.lastIndexOf('/'))),
  ]);
  // The package definition of proto-loader, of which only the descriptors are read.
  const definition = {
    ours: { fileDescriptorProtos: [...files.values()] },
    ...Object.fromEntries(methods.map(({ path, requestType }) => [path, requestType])),
  };
  const reflection = new ReflectionService(definition as never, { services: [...services] });
  reflection.addToServer(server);
}

/** A method as proto-loader defines it. */
type LoadedMethod = {
  readonly path: string;
  readonly requestType: { readonly fileDescriptorProtos: readonly Buffer[] };
};

function methodsOf(service: Standard): LoadedMethod[] {
  const methods: LoadedMethod[] = [];
  const server = {
    addService: (definition: Record<string, LoadedMethod>) =>
      void methods.push(...Object.values(definition)),
  };
  service.addToServer(server as unknown as Server);
  return methods;
}
