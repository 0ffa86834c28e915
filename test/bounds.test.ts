// The bounds of requests. The fast length check accepts exactly the messages that the validator
// accepts.
import { readdirSync, readFileSync } from 'node:fs';
import { create, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { createValidator, type Validator } from '@bufbuild/protovalidate';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ExchangeApiKeyRequestSchema,
  IssuanceService,
  IssueTokenRequestSchema,
} from '../gen/latchkey/identity/v1/issuance_pb.js';
import {
  BatchCreateLinksRequestSchema,
  BatchUpdateLinksRequestSchema,
} from '../gen/latchkey/sharing/v1/link_pb.js';
import { correctPlurals, createBoundsCheck } from '../src/api/bounds.ts';
import { explainPattern } from '../src/api/pattern-details.ts';
import { services } from '../src/api/services.ts';
import { describeAppOnSqlite } from './support/app-suite.ts';
import { codeOf } from './support/manager-calls.ts';
import { isFull } from './support/matrix.ts';
import { itHoldsFor } from './support/rule.ts';
import { transportNames } from './support/transports.ts';

const validator = createValidator();

/** Checks a message. Rejects if it is not within its bounds. */
function checkOf(schema: DescMessage, used = validator) {
  const check = createBoundsCheck(schema, () => Promise.resolve(used));
  return async (message: Message) => check(message);
}

/** Lengths around every bound, in characters of one and two UTF-16 units. */
const text = fc
  .tuple(
    fc.constantFrom('a', '\u{1f511}'),
    fc.constantFrom(0, 1, 2, 32, 64, 128, 255, 256, 512, 1024, 2048, 4096, 7200, 16384),
    fc.integer({ min: -1, max: 1 }),
    fc.constantFrom('', 'b'),
  )
  .map(([unit, length, more, end]) => unit.repeat(Math.max(0, length + more)) + end);

function messageOf(schema: DescMessage): fc.Arbitrary<Message> {
  const texts = schema.fields.filter(
    (field) =>
      (field.fieldKind === 'scalar' ||
        (field.fieldKind === 'list' && field.listKind === 'scalar')) &&
      field.scalar === ScalarType.STRING,
  );
  const list = fc.array(text, { maxLength: 2 });
  return fc
    .tuple(...texts.map(({ fieldKind }) => (fieldKind === 'list' ? list : text)))
    .map((values) =>
      create(schema, Object.fromEntries(texts.map(({ localName }, i) => [localName, values[i]]))),
    );
}

const inputs = Object.values(services).flatMap((service) =>
  Object.values(service.method).map(({ input }): [string, DescMessage] => [input.name, input]),
);

itHoldsFor(inputs, 90)(
  'a message is rejected exactly if the validator rejects it',
  async (_, schema) => {
    const check = checkOf(schema);
    await fc.assert(
      fc.asyncProperty(messageOf(schema), async (message) => {
        const isValid = validator.validate(schema, message).kind === 'valid';
        if (isValid) await check(message);
        else await expect(check(message)).rejects.toThrow();
      }),
      { numRuns: isFull ? 100 : 25 },
    );
  },
);

test('the requests for tokens are accepted without the validator', async () => {
  let asked = 0;
  const counted: Validator = {
    validate(schema, message) {
      asked++;
      return validator.validate(schema, message);
    },
  };
  const check = checkOf(ExchangeApiKeyRequestSchema, counted);
  await check(create(ExchangeApiKeyRequestSchema, { apiKey: 's'.repeat(256), scope: 'a:read' }));
  const checkToken = checkOf(IssueTokenRequestSchema, counted);
  await checkToken(create(IssueTokenRequestSchema, { clientId: 'c'.repeat(128) }));
  expect(asked).toBe(0);
  const accounts = [''];
  await expect(checkToken(create(IssueTokenRequestSchema, { accounts }))).rejects.toThrow();
  expect(asked).toBe(1);
  const unnamed = create(ExchangeApiKeyRequestSchema, { scope: 'a:read' });
  await expect(check(unnamed)).rejects.toThrow('api_key');
  expect(asked).toBe(2);
});

itHoldsFor([
  ['must be at least 1 characters', 'must be at least 1 character'],
  ['must be at least 11 characters', 'must be at least 11 characters'],
  ['must be at most 1 bytes', 'must be at most 1 byte'],
  ['must contain at least 1 item(s)', 'must contain at least 1 item'],
  ['must contain no more than 100 item(s)', 'must contain at most 100 items'],
])('a detail has correct plurals', (written, expected) => {
  expect(correctPlurals(written)).toBe(expected);
});

// `payments:reed` has the form `<word>:<word>`, too.
test('the detail of an invalid scope says that it ends in read or write', () => {
  const pattern = '^[a-z][a-z0-9_]{0,63}:(read|write)$';
  expect(explainPattern(`does not match regex pattern \`${pattern}\``)).toContain('read or write');
});

const protoFolder = new URL('../proto/latchkey/', import.meta.url);
const patterns = readdirSync(protoFolder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.proto'))
  .flatMap((name) => [
    ...readFileSync(new URL(name, protoFolder), 'utf8').matchAll(/pattern(?::| =) (".*")/g),
  ])
  .map(([, text = '']): [string] => [JSON.parse(text)]);

itHoldsFor(patterns, 50)(
  'a value that does not match a pattern has a detail in words',
  (pattern) => {
    const detail = explainPattern(`does not match regex pattern \`${pattern}\``);
    expect(detail).toMatch(/^must (?:be|contain|have) /);
  },
);

test('number and noun agree in the detail of a field', async () => {
  const check = checkOf(ExchangeApiKeyRequestSchema);
  const request = create(ExchangeApiKeyRequestSchema, { scope: 'a:read' });
  await expect(check(request)).rejects.toThrow(/api_key: must be at least 1 character$/);
});

test('a list that is too long is refused before its items are examined', async () => {
  const refuse: Validator = {
    validate: () => {
      throw new Error('the validator was called');
    },
  };
  const accounts = Array(86_666).fill('');
  const check = checkOf(IssueTokenRequestSchema, refuse);
  await expect(check(create(IssueTokenRequestSchema, { accounts }))).rejects.toThrow(
    /^accounts: must contain at most 1000 items$/,
  );
  const requests = [{}, { allowList: Array(10_000).fill('') }];
  await expect(
    checkOf(
      BatchUpdateLinksRequestSchema,
      refuse,
    )(create(BatchUpdateLinksRequestSchema, { requests })),
  ).rejects.toThrow(/^requests\[1\]\.allow_list: must contain at most \d+ items$/);
});

describeAppOnSqlite('a request with many errors', (suite) => {
  itHoldsFor(
    transportNames.map((name) => [name]),
    3,
  )('gets the first 20 of them as its answer', async (name) => {
    const accounts = Array(1_000).fill('');
    const answer = await suite
      .transport(name)
      .call(IssuanceService.method.issueToken, { clientId: 'a', accounts });
    expect(codeOf(answer)).toBe('invalid_argument');
    const message = answer.ok ? '' : answer.error.message;
    expect(message).toMatch(/^accounts: .*; 980 more$/);
    expect(message.split('; ')).toHaveLength(21);
  });
});

const timeFields = inputs.flatMap(([name, schema]) =>
  schema.fields
    .filter(({ message }) => message?.typeName === TimestampSchema.typeName)
    .map((field) => [`${name}.${field.name}`, schema, field] as const),
);

itHoldsFor(timeFields, 9)('a time has nanos in their range', async (_, schema, field) => {
  for (const nanos of [-1, 1_000_000_000, 2_147_483_647]) {
    const time = create(TimestampSchema, { seconds: 4_000_000_000n, nanos });
    const message = create(schema, { [field.localName]: time });
    await expect(checkOf(schema)(message)).rejects.toThrow(`${field.name}: must have nanos`);
  }
});

test('a time in a list of messages is named with its index', async () => {
  const times = [0, -1].map((nanos) => ({ expireTime: { seconds: 4_000_000_000n, nanos } }));
  const message = create(BatchCreateLinksRequestSchema, { requests: times });
  const path = 'requests[1].expire_time: must have nanos';
  await expect(checkOf(BatchCreateLinksRequestSchema)(message)).rejects.toThrow(path);
});
