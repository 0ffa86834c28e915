// A workspace with one of each resource, for suites about callers who must not see any of them.
import { MemberRole } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { allRows } from './audit-rows.ts';
import { addDomainRow } from './domain-rows.ts';
import { makeFolder } from './folder-calls.ts';
import type { TestApp } from './harness.ts';
import { addInvitation } from './invitation-rows.ts';
import { openLink } from './link-views.ts';
import { addMember } from './member-rows.ts';
import { addWorkspace, changeAsOtherProcess } from './owner-rows.ts';
import { callSharingApi, makeLink, sha256, upload, uploadVersion } from './sharing-api.ts';
import { addUser } from './user-rows.ts';

/** For each id field in the requests of the product area, an id of the workspace. */
type Ids = {
  readonly workspace_id: string;
  readonly document_id: string;
  readonly folder_id: string;
  readonly parent_id: string;
  readonly link_id: string;
  /** The only id of a list. */
  readonly ids: string;
  readonly key_id: string;
  readonly user_id: string;
  readonly invitation_id: string;
  readonly domain_id: string;
  readonly agreement_id: string;
  readonly page_token: string;
  readonly email: string;
};

export type FilledWorkspace = {
  readonly ids: Ids;
  /** The workspace's API key, which holds every scope that a key can have. */
  readonly key: { readonly authorization: string };
  /** Texts that identify the workspace. No answer to other callers may contain one of them. */
  readonly marks: readonly string[];
  /** Every row that belongs to the workspace, except the audit log. */
  rows(): Promise<string[]>;
};

const keyScopes = 'documents:read documents:write links:read links:write';

/** Request fields other than ids. A method that needs more must be added here. */
export const requiredFields: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  UpdateDocument: { name: 'Renamed' },
  RestoreVersion: { version: 1 },
  DeleteVersion: { version: 1 },
  // The page token is of a list in this order.
  ListVisitors: { orderBy: 'create_time desc' },
  CreateFolder: { name: 'A folder' },
  UpdateFolder: { name: 'Renamed' },
  UpdateLink: { name: 'Renamed', emailRequired: false },
  CreateWorkspace: { name: 'Another' },
  UpdateWorkspace: { name: 'Renamed' },
  PutMember: { role: MemberRole.ADMIN },
  CreateDomain: { name: 'new.example.com' },
  UpdateDomain: { primary: false },
  CreateApiKey: { name: 'A key', scopes: ['links:read'] },
};

/** Fields of which a request sets exactly one, by method. */
const exactlyOneOf: Readonly<Record<string, readonly (keyof Ids)[]>> = {
  CreateLink: ['document_id', 'folder_id'],
};

/** The ids for a request of that method. Of fields that exclude each other, one stays. */
export function idsFor<T extends object>(method: string, ids: T, tested?: string): Partial<T> {
  const alternatives: readonly string[] = exactlyOneOf[method] ?? [];
  const kept = alternatives.find((field) => field === tested) ?? alternatives[0];
  const others = Object.entries(ids).filter(
    ([field]) => field === kept || !alternatives.includes(field),
  );
  return Object.fromEntries(others) as Partial<T>;
}

export async function makeFilledWorkspace(testApp: TestApp): Promise<FilledWorkspace> {
  const { db } = testApp.app.inside;
  const { ownerId: workspaceId, credentialId, text } = await addWorkspace(db, keyScopes);
  const own = { ...testApp, env: { ...testApp.env, API_KEY: text } };
  const tag = workspaceId.slice('ws_'.length);
  const bytes = Buffer.from(`The terms of ${tag}.`);
  const document = await upload(own, bytes, `${tag}.txt`);
  // Version 1 can be restored and deleted.
  await uploadVersion(own, document.id, Buffer.from(`The new terms of ${tag}.`));
  await upload(own, Buffer.from('Another one.'));
  const link = await makeLink(own, document.id, { name: `For ${tag}`, email_required: true });
  const open = await makeLink(own, document.id);
  const parent = await makeFolder(own, `Parent of ${tag}`);
  const folder = await makeFolder(own, `Folder of ${tag}`, parent.id);
  const email = `reader-${tag}@example.com`.toLowerCase();
  await openLink(link, email);
  const user = await addUser(db, { kind: 'member', name: `Owner of ${tag}` });
  await addMember(db, workspaceId, 'owner', user.id);
  await changeAsOtherProcess(db, (trx) =>
    trx
      .updateTable('workspaces')
      .set({ name: `Rooms of ${tag}` })
      .where('id', '=', workspaceId)
      .execute(),
  );
  const views = await callSharingApi<{ views: { id: string }[] }>(
    own,
    'GET',
    `/links/${link.id}/views`,
  );
  const first = await callSharingApi<{ next_page_token: string }>(
    own,
    'GET',
    '/documents?page_size=1',
  );
  const viewId = views.body.views[0]?.id;
  if (viewId === undefined) throw new Error('the link has no views');

  const invitation = await addInvitation(testApp, `${tag}@invited.example`, workspaceId);

  const name = `${tag}.example.com`.toLowerCase();
  const domain = await addDomainRow(db, workspaceId, { name, verify_time: Date.now() });

  const agreement = {
    ...{ id: `agr_${tag}`, workspace_id: workspaceId, link_id: link.id, document_id: document.id },
    ...{ sha256: sha256(bytes), email, accept_time: 1, receipt: `receipt-${tag}` },
  };
  await db.insertInto('agreements').values(agreement).execute();

  const marks = [
    ...[
      tag,
      credentialId,
      document.id,
      folder.id,
      parent.id,
      link.id,
      open.id,
      viewId,
      user.id,
      user.email,
      email,
      invitation.id,
      domain.id,
      domain.name,
      domain.txt_value,
      agreement.id,
    ],
    ...[link, open].map(({ url }) => url.slice(-22)),
    ...[sha256(bytes), bytes.toString('base64')],
  ];
  return {
    ids: {
      workspace_id: workspaceId,
      document_id: document.id,
      folder_id: folder.id,
      parent_id: parent.id,
      link_id: link.id,
      ids: link.id,
      key_id: credentialId,
      user_id: user.id,
      invitation_id: invitation.id,
      domain_id: domain.id,
      agreement_id: agreement.id,
      page_token: first.body.next_page_token,
      email,
    },
    key: { authorization: `Bearer ${text}` },
    marks,
    async rows() {
      const rows = await allRows(db, ['audit_events', 'revisions', 'leases']);
      return rows.filter((row) => marks.some((mark) => row.includes(mark)));
    },
  };
}
