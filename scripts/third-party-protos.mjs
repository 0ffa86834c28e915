// Lays the .proto sources that ours import where buf finds them, out of npm packages, so that none
// of them is committed. A package that carries only a descriptor has its source printed from that.
// Without development packages there is no buf to read them, and nothing is laid.
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

/** The standard services of gRPC, by the names under which others import them. */
const standard = {
  'grpc/health/v1/health.proto': 'grpc-health-check/proto/health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto':
    '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto',
  'grpc/reflection/v1alpha/reflection.proto':
    '@grpc/reflection/build/proto/grpc/reflection/v1alpha/reflection.proto',
};

if (['google-proto-files', '@bufbuild/protovalidate'].every(isInstalled)) {
  for (const path of copied) {
    await lay(path, await readFile(new URL(import.meta.resolve(`google-proto-files/${path}`))));
  }
  for (const [path, source] of Object.entries(standard)) {
    await lay(path, await readFile(new URL(import.meta.resolve(source))));
  }
  const { file_buf_validate_validate: validate } = await import(
    '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
  );
  const { printFile } = await import('./print-descriptor.mjs');
  await lay('buf/validate/validate.proto', printFile(validate));
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

/** Whole or not at all: a buf that runs meanwhile never reads half a file. */
async function lay(path, source) {
  const target = join(folder, path);
  const unfinished = `${target}.${process.pid}.tmp`;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(unfinished, source);
  await rename(unfinished, target);
}
