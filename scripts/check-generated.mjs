// Fails if gen/ differs from the output of buf. scripts/openapi-doc.ts checks gen/openapi.json.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const fresh = mkdtempSync(path.join(tmpdir(), 'latchkey-gen-'));
const buf = path.join(root, 'node_modules/.bin/buf');

try {
  execFileSync(buf, ['generate', '--output', fresh], { cwd: root, stdio: 'inherit' });
  execFileSync(buf, ['build', '-o', path.join(fresh, 'gen/latchkey.binpb')], {
    cwd: root,
    stdio: 'inherit',
  });
  const wanted = filesIn(path.join(fresh, 'gen'));
  const found = filesIn(path.join(root, 'gen'));
  found.delete('openapi.json');
  const differing = [...new Set([...wanted.keys(), ...found.keys()])].filter((file) => {
    const [expected, actual] = [wanted.get(file), found.get(file)];
    return expected === undefined || actual === undefined || !expected.equals(actual);
  });
  if (differing.length > 0) {
    console.error(`gen/ is stale, run \`npm run generate\`:\n  ${differing.join('\n  ')}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** @returns {Map<string, Buffer>} */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), readFileSync(file)]),
  );
}
