import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readRequest } from '../../../clients/cli/src/remote/request.ts';
import {
  CreateIdentityProviderRequestSchema,
  MappedRole,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { itHoldsFor } from '../../support/rule.ts';

/** The request of a command whose option names a file with these mappings. */
async function requestWith(mappings: unknown) {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-request-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'mappings.json');
  await writeFile(file, JSON.stringify(mappings));
  const fields = { role_mappings: { about: '', value: 'file', isJsonFile: true } } as const;
  const input = { args: {}, more: [], options: { 'role-mappings': file } };
  return readRequest(CreateIdentityProviderRequestSchema, { fields }, { input, host: process });
}

itHoldsFor(['admin', 'MAPPED_ROLE_ADMIN', 2])(
  'a file has any form of an enum value',
  async (role) => {
    const { roleMappings } = await requestWith([{ group: 'leads', workspace_id: 'ws_1', role }]);
    expect(roleMappings).toMatchObject([{ group: 'leads', role: MappedRole.ADMIN }]);
  },
);

test('an error names the field and the values that it can have', async () => {
  const request = requestWith([{ group: 'leads', workspace_id: 'ws_1', role: 'owner' }]);
  await expect(request).rejects.toThrow('role: "owner" is not one of: member, admin.');
});
