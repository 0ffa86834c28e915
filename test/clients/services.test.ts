// The services of @latchkey/client.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getOption } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { clientServices } from '../../clients/client/src/services.ts';
import { access, PrincipalType } from '../../gen/latchkey/options/v1/access_pb.js';
import { services } from '../../src/api/services.ts';

/** The package fetches tokens itself. The others have no method for programs. */
const others = ['issuance', 'passwordReset', 'invitation'];

const { SERVICE, CUSTOMER, WORKSPACE_KEY } = PrincipalType;
const programs = [SERVICE, CUSTOMER, WORKSPACE_KEY];

test('the client has every service that has a method for programs', () => {
  const expected = Object.entries(services).filter(([name]) => !others.includes(name));
  const names = (list: readonly { readonly typeName: string }[]) =>
    list.map(({ typeName }) => typeName).toSorted();
  expect(names(Object.values(clientServices))).toEqual(names(expected.map(([, one]) => one)));
  const callable = Object.entries(services).filter(([, { methods }]) =>
    methods.some((one) => getOption(one, access).principals.some((by) => programs.includes(by))),
  );
  const isKnown = (name: string) => expected.some(([one]) => one === name);
  expect(callable.map(([name]) => name).filter((name) => !isKnown(name))).toEqual([]);
  expect(callable.length).toBeGreaterThan(20);
});

test('the README of the client names every service', () => {
  const file = path.resolve(import.meta.dirname, '../../clients/client/README.md');
  const [, section = ''] = readFileSync(file, 'utf8').split('\n## Methods\n');
  const [list = ''] = section.split(' are Connect clients');
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(Object.keys(clientServices).toSorted());
});
