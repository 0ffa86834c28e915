// The plan of `apply`, without a server.
import type { JsonObject } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { type KindName, kinds } from '../../../clients/cli/src/apply/kinds.ts';
import { planOf } from '../../../clients/cli/src/apply/plan.ts';
import type { Declared } from '../../../clients/cli/src/apply/read-files.ts';
import { Ids, requireCreated } from '../../../clients/cli/src/apply/references.ts';
import { byExternalId, type StoredKinds, storedOf } from '../../../clients/cli/src/apply/stored.ts';
import type { Remote } from '../../../clients/cli/src/remote/remote.ts';

const storedKinds = (rows: Partial<Record<KindName, JsonObject[]>> = {}) =>
  Object.fromEntries(
    kinds.map(({ name }) => [name, byExternalId((rows[name] ?? []).map(storedOf))]),
  ) as StoredKinds;

function declare(name: KindName, externalId: string, values: Declared['values']): Declared {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`${name} is not a kind`);
  const file = `${name}.yaml`;
  return { kind, externalId, values, file, place: `${file}:2: ${name}[0]` };
}

type Rows = { readonly stored?: StoredKinds; readonly deleted?: StoredKinds };

const plan = (
  declared: readonly Declared[],
  { stored = storedKinds(), deleted = storedKinds() }: Rows = {},
) => {
  const remote = {} as Remote;
  return planOf({ remote, declared, stored, deleted, ids: new Ids(stored), isPruning: true });
};

const gone = storedKinds({
  clients: [{ id: 'cli_1', external_id: 'worker' }],
  customers: [{ id: 'cus_1', external_id: 'acme' }],
});

test('a deleted resource of a file is reported', async () => {
  const declared = [
    declare('clients', 'worker', { name: 'Worker' }),
    declare('customers', 'acme', { name: 'Acme' }),
  ];
  await expect(plan(declared, { deleted: gone })).rejects.toThrow(
    [
      'clients.yaml:2: clients[0].external_id: the client worker is deleted. Undelete it first. ' +
        'Run: latchkey clients undelete cli_1',
      'customers.yaml:2: customers[0].external_id: the customer acme is deleted. ' +
        'Undelete it first. Run: latchkey customers undelete cus_1',
      'Nothing was changed.',
    ].join('\n'),
  );
});

test('a reference to a deleted resource is reported', async () => {
  const declared = [declare('clients', 'a', { name: 'A', may_act: ['customer:acme'] })];
  await expect(plan(declared, { deleted: gone })).rejects.toThrow(
    'clients.yaml:2: clients[0].may_act: the customer acme is deleted\n',
  );
});

test('--prune ignores deleted resources', async () => {
  expect(await plan([], { deleted: gone })).toEqual([]);
  expect(await plan([], { stored: gone })).toHaveLength(2);
});

test('a problem with a name of the file stays on its line', async () => {
  const declared = [declare('clients', 'a', { name: 'A', audiences: ['x\n::add-mask::y'] })];
  await expect(plan(declared)).rejects.toThrow('the external id x ::add-mask::y\n');
});

test('only a reference is missing, and no other text', () => {
  const ids = new Ids(storedKinds({ audiences: [{ id: 'aud_1', external_id: 'known' }] }));
  const audiences = { type: 'texts', refersTo: { '': 'audiences' } } as const;
  expect(() => requireCreated(audiences, ['known', 'new'], ids)).toThrow('new was not created');
  expect(() => requireCreated(audiences, ['known'], ids)).not.toThrow();
  expect(() => requireCreated({ type: 'text' }, 'missing link', ids)).not.toThrow();
  expect(() => requireCreated({ type: 'texts' }, ['missing link'], ids)).not.toThrow();
});
