import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRegistry, fromBinary, type JsonValue, toJson } from '@bufbuild/protobuf';
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import * as validate from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { afterEach, beforeEach, expect, test } from 'vitest';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));
const embedded = validate.file_buf_validate_validate.proto;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-proto-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the sources compile, and the printed one means the same as its package', {
  timeout: 120_000,
}, async () => {
  await run('node', ['scripts/third-party-protos.mjs', folder], { cwd: project });
  const compiled = await compile(folder);

  expect(compiled.map((file) => file.name).sort()).toEqual([
    'buf/validate/validate.proto',
    'google/api/annotations.proto',
    'google/api/http.proto',
    'google/rpc/error_details.proto',
    'google/rpc/status.proto',
    'grpc/health/v1/health.proto',
    'grpc/reflection/v1/reflection.proto',
    'grpc/reflection/v1alpha/reflection.proto',
  ]);
  const printed = compiled.find((file) => file.name === embedded.name);
  expect(printed && meaning(printed)).toEqual(meaning(embedded));
});

test('an install without development packages generates nothing and succeeds', async () => {
  await cp(join(project, 'scripts'), folder, {
    recursive: true,
    filter: (path) => path === join(project, 'scripts') || path.endsWith('.mjs'),
  });
  // Hides a package of that name in a parent folder.
  await mkdir(join(folder, 'node_modules/google-proto-files'), { recursive: true });

  await run('node', [join(folder, 'third-party-protos.mjs'), join(folder, 'out')]);

  expect(await readdir(folder)).not.toContain('out');
});

test('a descriptor with an unsupported element is refused', async () => {
  const script = `
    import { file_google_protobuf_struct as file } from '@bufbuild/protobuf/wkt';
    import { printFile } from './scripts/print-descriptor.mjs';
    printFile(file);`;

  const printing = run('node', ['--input-type=module', '--eval', script], { cwd: project });

  await expect(printing).rejects.toThrow(
    'Cannot print field google.protobuf.FileDescriptorProto.syntax',
  );
});

async function compile(module: string): Promise<FileDescriptorProto[]> {
  const buf = join(project, 'node_modules/.bin/buf');
  const flags = ['--as-file-descriptor-set', '--exclude-imports', '--exclude-source-info'];
  const { stdout } = await run(buf, ['build', module, ...flags, '--output', '-'], {
    encoding: 'buffer',
  });
  return fromBinary(FileDescriptorSetSchema, stdout).file;
}

/** Options interpreted with the file's own extensions. */
function meaning(file: FileDescriptorProto): JsonValue {
  const registry = createRegistry(validate.file_buf_validate_validate);
  return toJson(FileDescriptorProtoSchema, file, { registry });
}
