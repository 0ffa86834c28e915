import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type {
  PutWorkspaceLogoRequest,
  PutWorkspaceLogoResponseSchema,
  WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { repeatAccessCheck, resolveWorkspace, workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { type Random, randomText } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import { failIfStalled } from '../../base/limits/stall-timeout.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { WorkspaceRow } from '../../storage/schema/schema.ts';
import { type Logo, startLogoUpload } from './logo.ts';
import { replaceLogo } from './store.ts';

type Answer = MessageInitShape<typeof PutWorkspaceLogoResponseSchema>;

export type AnswerWorkspace = (row: WorkspaceRow) => Promise<Answer>;

type LogoOptions = {
  readonly auditLog: AuditLog;
  readonly random: Random;
  readonly now: Clock;
  readonly uploadStalledMs: number;
  readonly answer: AnswerWorkspace;
};

export type LogoMethods = Pick<
  ServiceImpl<typeof WorkspaceService>,
  'putWorkspaceLogo' | 'deleteWorkspaceLogo'
>;

export function createLogoMethods(options: LogoOptions): LogoMethods {
  const { auditLog, random, now } = options;

  function replace(context: HandlerContext, workspaceId: string, logo: Logo | undefined) {
    return auditLog.change(context, { target: workspaceId }, async (trx) => {
      await lockRow(trx, 'workspaces', 'id', workspaceId);
      const row = logo && {
        id: randomText(random),
        content_type: logo.contentType,
        content: logo.bytes.toString('base64'),
      };
      const changed = await replaceLogo(trx, workspaceId, row, now());
      if (changed === undefined) {
        throw fail('not_found', 'The workspace does not exist.', { target: workspaceId });
      }
      return changed;
    });
  }

  async function receive(
    requests: AsyncIterable<PutWorkspaceLogoRequest>,
    context: HandlerContext,
  ) {
    const messages = failIfStalled(
      requests,
      options.uploadStalledMs,
      ({ file }) => file.length === 0,
    );
    try {
      const upload = await startLogoUpload(messages);
      const workspaceId = await resolveWorkspace(context, upload.workspaceId);
      return { workspaceId, logo: await upload.read() };
    } finally {
      // If the upload was refused, the remaining messages are not read.
      messages.return(undefined).catch(() => {});
    }
  }

  return {
    async putWorkspaceLogo(requests, context) {
      const { workspaceId, logo } = await receive(requests, context);
      await repeatAccessCheck(context, workspaceId);
      context.signal.throwIfAborted();
      return options.answer(await replace(context, workspaceId, logo));
    },

    async deleteWorkspaceLogo(_request, context) {
      await replace(context, workspaceOf(context), undefined);
      return {};
    },
  };
}
