// Copies the imported third-party .proto sources from npm packages to a folder that buf reads, so
// that they are not committed. If a package contains only a descriptor, the source is printed from
// it. Without development packages, buf is missing and nothing is copied.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? fileURLToPath(new URL('../.cache/proto', import.meta.url));

const copied = [
  'google/api/annotations.proto',
  'google/api/http.proto',
  'google/rpc/error_details.proto',
  'google/rpc/status.proto',
];

/** The standard gRPC services by import path. */
const standard = {
  'grpc/health/v1/health.proto': 'grpc-health-check/proto/health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto':
    '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto',
  'grpc/reflection/v1alpha/reflection.proto':
    '@grpc/reflection/build/proto/grpc/reflection/v1alpha/reflection.proto',
};

if (['google-proto-files', '@bufbuild/protovalidate'].every(isInstalled)) {
  for (const path of copied) {
    await writeWhole(
      path,
      await readFile(new URL(import.meta.resolve(`google-proto-files/${path}`))),
    );
  }
  for (const [path, source] of Object.entries(standard)) {
    await writeWhole(path, await readFile(new URL(import.meta.resolve(source))));
  }
  const { file_buf_validate_validate: validate } = await import(
    '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
  );
  const { printFile } = await import('./print-descriptor.mjs');
  await writeWhole('buf/validate/validate.proto', printFile(validate));
}

function isInstalled(name) {
  try {
    import.meta.resolve(name);
    return true;
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}

/** Writes a file atomically, because buf may be running. */
async function writeWhole(path, source) {
  const target = join(folder, path);
  const unfinished = `${target}.${process.pid}.tmp`;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(unfinished, source);
  await rename(unfinished, target);
}
