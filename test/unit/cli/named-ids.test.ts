import { createRouterTransport } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { readLinkId } from '../../../clients/cli/src/remote/named-ids.ts';
import type { Remote } from '../../../clients/cli/src/remote/remote.ts';
import { LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { itHoldsFor } from '../../support/rule.ts';

/** A server with three links on pages of one link. */
function openServer() {
  const asked: string[] = [];
  const transport = createRouterTransport(({ rpc }) => {
    rpc(LinkService.method.listLinks, ({ pageToken, workspaceId }) => {
      asked.push(`${workspaceId} ${pageToken}`);
      const i = Number(pageToken);
      const link = { id: `lnk_${i}`, url: `https://keys.example.com/s/${String(i).repeat(22)}` };
      return { links: [link], nextPageToken: i === 2 ? '' : String(i + 1) };
    });
  });
  const call: Remote['call'] = async (method, request) =>
    (await transport.unary(method, undefined, undefined, undefined, request)).message;
  const profile: Remote['profile'] = {
    server: 'https://keys.example.com',
    workspaceId: undefined,
    credential: { kind: 'token', token: 'a' },
  };
  return { remote: { call, profile }, asked };
}

test('the address of a link is found on a later page', async () => {
  const { remote, asked } = openServer();
  const address = `https://keys.example.com/s/${'1'.repeat(22)}`;
  expect(await readLinkId(address, remote, 'ws_1')).toBe('lnk_1');
  expect(asked).toEqual(['ws_1 ', 'ws_1 1']);
});

test('the address of a link of another server is not found', async () => {
  const { remote, asked } = openServer();
  const address = `https://other.example.com/s/${'1'.repeat(22)}`;
  await expect(readLinkId(address, remote)).rejects.toMatchObject({ status: 66 });
  expect(asked).toHaveLength(3);
});

itHoldsFor(['https://me:secret@other.example.com/s/1', 'lk_wk_secret'])(
  'an error does not repeat a secret',
  async (text) => {
    const error = await readLinkId(text, openServer().remote).catch(String);
    expect(error).toMatch(/link/);
    expect(error).not.toContain('secret');
  },
);

test('an id is not looked up', async () => {
  const { remote, asked } = openServer();
  expect(await readLinkId('lnk_7', remote)).toBe('lnk_7');
  expect(asked).toEqual([]);
});
