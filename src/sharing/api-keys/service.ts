import type { ServiceImpl } from '@connectrpc/connect';
import type { ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { nameCreators } from '../../audit/names/creators.ts';
import type { Random } from '../../base/crypto/ids.ts';
import {
  type CredentialOwner,
  type Credentials,
  generateCredentialFor,
} from '../../credentials/credentials.ts';
import type { CredentialRow, Database } from '../../storage/schema/schema.ts';

export type ApiKeyOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly credentials: Credentials;
  readonly random: Random;
};

export function createApiKeyService(options: ApiKeyOptions): ServiceImpl<typeof ApiKeyService> {
  const { db, auditLog, credentials, random } = options;

  function keyMessage(row: CredentialRow) {
    return {
      ...credentials.describe(row),
      workspaceId: row.workspace_id ?? '',
      scopes: [...parseStoredScopes(row.scopes)],
    };
  }

  return {
    async createApiKey({ name, scopes, expireTime }, context) {
      const owner = ownerOf(workspaceOf(context));
      const made = generateCredentialFor(context, 'wk', random);
      const fields = { name, scopes: scopes.join(' '), expireTime };
      return auditLog.create(context, { target: made.id }, async (trx) => {
        await requireHeldScopes(trx, context, scopes, { workspaceId: owner.id });
        const row = await credentials.create(trx, owner, made, fields);
        return { key: keyMessage(row), apiKey: made.text };
      });
    },

    async listApiKeys(request, context) {
      const owner = ownerOf(workspaceOf(context));
      const { rows, ...page } = await credentials.list(owner, request, context.signal);
      const keys = await nameCreators(db, context, rows.map(keyMessage), owner.id);
      return { keys, ...page };
    },

    async rotateApiKey({ keyId, overlapSeconds }, context) {
      const owner = ownerOf(workspaceOf(context));
      const made = generateCredentialFor(context, 'wk', random);
      return auditLog.create(context, { target: keyId }, async (trx) => {
        const rotated = await credentials.rotate(trx, owner, keyId, made, overlapSeconds);
        const granted = parseStoredScopes(rotated.scopes);
        await requireHeldScopes(trx, context, granted, { workspaceId: owner.id });
        return { key: keyMessage(rotated), apiKey: made.text };
      });
    },

    async revokeApiKey({ keyId }, context) {
      const owner = ownerOf(workspaceOf(context));
      await auditLog.change(context, { target: keyId }, (trx) =>
        credentials.revoke(trx, owner, keyId),
      );
      return {};
    },
  };
}

const ownerOf = (workspaceId: string): CredentialOwner => ({ kind: 'wk', id: workspaceId });
