// Members of a workspace use its documents and links with the same methods as its API keys.
import { beforeEach, expect, it } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { describeTransports } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { callMethod } from '../support/method-calls.ts';
import { addWorkspace } from '../support/owner-rows.ts';

const { listDocuments, getDocument } = DocumentService.method;
const { createLink, listLinks, revokeLink } = LinkService.method;

describeApp('a member', (suite) => {
  const db = () => suite.app.inside.db;
  let workspaceId: string;
  let userId: string;
  let own: { authorization: string };
  beforeEach(async () => {
    workspaceId = (await addWorkspace(db(), '')).ownerId;
    userId = await addMember(db(), workspaceId, 'member');
    own = await credentialFor(suite.testApp, { type: 'member', sub: userId, scope: memberScope });
  });

  describeTransports(suite, (name, isOwn) => {
    const upload = (fields: Record<string, string> = {}) =>
      callMethod(suite.app, name, {
        method: DocumentService.method.uploadDocument,
        fields: { name: 'Theirs', ...fields },
        ...own,
      });
    const documentsOf = async (id: string) => {
      const rows = await db()
        .selectFrom('documents')
        .select('id')
        .where('workspace_id', '=', id)
        .execute();
      return rows.map((row) => row.id);
    };
    const call: ReturnType<typeof suite.transport>['call'] = (method, request) =>
      suite.transport(name).call(method, request, own);

    it('uploads to the only workspace without naming it, or by its name', async () => {
      expect(await upload()).toMatchObject({ code: 'ok' });
      expect(await upload({ workspace_id: workspaceId })).toMatchObject({ code: 'ok' });
      expect(await documentsOf(workspaceId)).toHaveLength(2);
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    it('uploads to one of several workspaces only by its name', async () => {
      const other = (await addWorkspace(db(), '')).ownerId;
      await addMember(db(), other, 'member', userId);
      await expect.poll(async () => (await upload()).code).toBe('invalid_argument');
      expect(await upload({ workspace_id: other })).toMatchObject({ code: 'ok' });
      expect(await documentsOf(other)).toHaveLength(1);
    });

    it('finds and shares documents of the workspace, and revokes links', async () => {
      await upload();
      const [documentId = ''] = await documentsOf(workspaceId);
      expect(await call(listDocuments, {})).toMatchObject({
        ok: true,
        message: { documents: [{ id: documentId, workspaceId }] },
      });
      const named = await call(getDocument, { documentId, workspaceId });
      expect(named).toMatchObject({ ok: true });
      const link = await call(createLink, { documentId });
      expect(link).toMatchObject({ ok: true, message: { link: { documentId, workspaceId } } });
      const linkId = link.ok ? (link.message.link?.id ?? '') : '';
      expect(await call(revokeLink, { linkId })).toMatchObject({ ok: true });
      expect(await call(listLinks, {})).toMatchObject({
        ok: true,
        message: { links: [{ id: linkId, revokeTime: {} }] },
      });
    });
  });
});
