// Rules that can be checked by reading the sources.
import { getOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { access, SessionCookie } from '../../gen/latchkey/options/v1/access_pb.js';
import { withErrorCodes } from '../../scripts/errors-doc.ts';
import { services } from '../../src/api/services.ts';
import { itHoldsFor } from '../support/rule.ts';
import { listFiles, readText } from './files.ts';

const sources = listFiles('src', '.ts');

test('only the files that start a process use it', () => {
  const users = sources.filter((file) =>
    /(?<!\.)\bprocess\.(env|exit|on|once|argv)\b/.test(readText(file)),
  );
  expect(users).toEqual([
    'src/boot/workers/program.ts',
    'src/boot/workers/worker.ts',
    'src/main.ts',
    'src/sharing/documents/pages/program.ts',
    // The programs that it starts need the PATH.
    'src/sharing/previews/converter/converter.ts',
    'src/sharing/previews/converter/program.ts',
    'src/sharing/previews/start.ts',
    'src/sharing/watermarks/program.ts',
  ]);
});

describe('a method', () => {
  const methods = Object.values(services).flatMap((service) => service.methods);

  itHoldsFor(
    methods.map((method) => [`${method.parent.name}.${method.name}`, method] as const),
    90,
  )('declares who may call it, and whether it may be repeated', (_name, method) => {
    const rule = getOption(method, access);
    const takesCookie = rule.sessionCookie !== SessionCookie.UNSPECIFIED;
    const { scope, self, filtered } = rule;
    expect(rule.public || self || filtered || scope !== '' || takesCookie).toBe(true);
    const source = readText(`proto/${method.parent.file.name}.proto`);
    const body = new RegExp(`(?:// .*\\n\\s*)rpc ${method.name}\\([^]*?idempotency_level = (\\w+)`);
    const [, level = ''] = body.exec(source) ?? [];
    // An unknown idempotency level must be declared, so that it is a decision.
    expect(Object.keys(MethodOptions_IdempotencyLevel)).toContain(level);
  });

  test('is not left out of the table of contents', () => {
    const declared = listFiles('proto/latchkey', '.proto').flatMap((file) =>
      [...readText(file).matchAll(/^service (\w+)/gm)].map(([, name]) => name),
    );
    const listed = Object.values(services).map(({ name }) => name);
    expect(listed.sort()).toEqual(declared.sort());
  });
});

test('each proto has the Go import path of its package', () => {
  for (const file of listFiles('proto/latchkey', '.proto')) {
    const [, area] = /^proto\/latchkey\/(\w+)\/v1\//.exec(file) ?? [];
    const option = `\noption go_package = "latchkey/${area}/v1;${area}v1";\n`;
    expect(readText(file), file).toContain(option);
  }
});

test('docs/errors.md documents the current error codes', () => {
  const document = readText('docs/errors.md');
  // If this fails, run `npm run generate`.
  expect(document).toBe(withErrorCodes(document));
});

const written = ['src', 'web', 'test', 'scripts', 'clients'].flatMap((folder) =>
  listFiles(folder, '.ts', '.tsx', '.mjs').filter((name) => !name.includes('/dist/')),
);

test('no file has more than 300 lines', () => {
  const long = written.filter((file) => readText(file).trimEnd().split('\n').length > 300);
  expect(long).toEqual([]);
});

/** Files with lines that cannot be wrapped. */
const longLines: Record<string, string> = {
  'src/base/net/email.ts': 'a regular expression',
  'src/sharing/gate/gate-html.ts': 'HTML, in which a break would show',
  'src/sharing/previews/converter/profile.ts': 'XML',
  'test/support/hostile-office-files.ts': 'XML',
  'test/support/office-files.ts': 'XML',
  'test/support/office-packages.ts': 'XML',
};

test('no line has more than 100 columns', () => {
  const breakable = written.filter((file) => !(file in longLines));
  const long = breakable.flatMap((file) =>
    readText(file)
      .split('\n')
      .flatMap((line, i) => ([...line].length > 100 ? [`${file}:${i + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test('no test is skipped, exclusive or left as a to-do', () => {
  const marks = new RegExp(
    `\\b(?:test|it|describe)(?:\\.\\w+)*\\.(?:${['skip', 'only', 'todo'].join('|')})`,
  );
  expect(listFiles('test', '.test.ts').filter((file) => marks.test(readText(file)))).toEqual([]);
});
