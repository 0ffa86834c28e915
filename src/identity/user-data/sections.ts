// The data about a user in this module.
import type { UserData } from '../../api/access/user-data.ts';
import { findEvents } from '../../audit/events.ts';
import { ownData, ownDataPageMax } from '../../storage/queries/own-data.ts';
import { parsePageRequest } from '../../storage/queries/page-token.ts';

async function* readEvents(
  ...[db, { id }]: Parameters<UserData>
): AsyncGenerator<readonly object[]> {
  const none = { token_id: '', target: '', action: '', code: '', start: undefined, end: undefined };
  for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
    const page = parsePageRequest({ pageSize: ownDataPageMax, pageToken });
    const { rows, nextPageToken } = await findEvents(db, { ...none, actor_id: id }, page);
    if (rows.length > 0) yield rows;
    pageToken = nextPageToken === '' ? undefined : nextPageToken;
  }
}

export const identityData = {
  profile: ownData({
    table: 'users',
    owner: 'id',
    by: 'id',
    columns: ['id', 'kind', 'email', 'name', 'scopes', 'create_time'],
  }),
  sessions: ownData({
    table: 'sessions',
    owner: 'user_id',
    by: 'id',
    columns: [
      ...(['id', 'amr', 'address', 'user_agent', 'create_time', 'refresh_time'] as const),
      ...(['expire_time', 'revoke_time', 'provider_id'] as const),
    ],
  }),
  passkeys: ownData({
    table: 'passkeys',
    owner: 'user_id',
    by: 'id',
    columns: ['id', 'name', 'synced', 'create_time', 'last_used_time'],
  }),
  identities: ownData({
    table: 'user_identities',
    owner: 'user_id',
    by: 'id',
    columns: ['id', 'provider_id', 'subject', 'create_time'],
  }),
  audit_events: readEvents as UserData,
} satisfies Readonly<Record<string, UserData>>;
