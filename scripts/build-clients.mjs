// Builds the npm packages in clients/ with the TypeScript compiler. Their stubs are compiled from
// gen/, so that they are those of the service.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const clients = path.resolve(import.meta.dirname, '../clients');
const tsc = path.resolve(clients, '../node_modules/.bin/tsc');

const names = ['cli', 'client', 'verify'];

for (const name of names) {
  const folder = path.join(clients, name);
  rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
  const { status, error } = spawnSync(tsc, ['-p', folder], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(1);
}
for (const name of ['cli', 'client']) omitRules(path.join(clients, name, 'dist/gen'));
for (const name of names) nameDeclarations(path.join(clients, name, 'dist'));

/** The compiler keeps `.ts` in the imports of declarations, which not every tool resolves. */
function nameDeclarations(dist) {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((one) => one.endsWith('.d.ts'))) {
    const text = readFileSync(path.join(dist, file), 'utf8');
    writeFileSync(path.join(dist, file), text.replace(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'"));
  }
}

/**
 * Replaces the validation rules, which only the service applies, with an empty descriptor of the
 * same name. A client would otherwise install an interpreter for them.
 */
function omitRules(gen) {
  const rules = '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
  const name = Buffer.from('buf/validate/validate.proto');
  // FileDescriptorProto: field 1 is the name.
  const descriptor = Buffer.from([0x0a, name.length, ...name]).toString('base64');
  mkdirSync(path.join(gen, 'buf/validate'), { recursive: true });
  writeFileSync(
    path.join(gen, 'buf/validate/validate_pb.js'),
    `import { fileDesc } from '@bufbuild/protobuf/codegenv2';
export const file_buf_validate_validate = /*@__PURE__*/ fileDesc('${descriptor}');
`,
  );
  const files = readdirSync(gen, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((one) => one.endsWith('_pb.js'))) {
    const text = readFileSync(path.join(gen, file), 'utf8');
    const depth = file.split('/').length - 1;
    const stub = `${depth === 0 ? './' : '../'.repeat(depth)}buf/validate/validate_pb.js`;
    writeFileSync(path.join(gen, file), text.replace(rules, stub));
  }
}
