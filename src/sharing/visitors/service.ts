import { setImmediate } from 'node:timers/promises';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { VisitorService } from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { repeatAccessCheck, workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { csvText, timeText } from '../../base/csv.ts';
import { fail } from '../../base/errors/errors.ts';
import { takeTurn } from '../../base/limits/turns.ts';
import { readEmail } from '../../base/net/email.ts';
import { foldValue } from '../../storage/queries/folded-text.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { Database, Executor, VisitorRow } from '../../storage/schema/schema.ts';
import type { ErasedReaders } from '../gate/erased-readers.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { Views } from '../views/views.ts';
import {
  eraseVisitor,
  eraseVisitorFromLinks,
  findLinksWith,
  findVisitor,
  findVisitors,
  findVisitorsAfter,
  isRemembered,
  type KnownAddress,
  visitorList,
} from './store.ts';

export type VisitorOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly quotas: Pick<Quotas, 'inTurn' | 'lock'>;
  readonly views: Pick<Views, 'list'>;
  readonly erasedReaders: Pick<ErasedReaders, 'endSessions'>;
  readonly random: Random;
  readonly revokeLink: (trx: Executor, id: string) => Promise<void>;
};

const linksMax = 200;

const sliceMax = 1_000;

export function createVisitorService(options: VisitorOptions): ServiceImpl<typeof VisitorService> {
  const { db, auditLog, quotas, views, revokeLink, random } = options;

  async function require(trx: Executor, workspaceId: string, email: string): Promise<VisitorRow> {
    const row = await findVisitor(trx, workspaceId, foldValue(email));
    if (row === undefined) throw noSuchVisitor();
    return row;
  }

  /** Returns a visitor, or a person in links, waiting mails or browsers, with these links. */
  async function requireKnown(workspace_id: string, text: string) {
    const email = foldValue(text);
    const visitor = await findVisitor(db, workspace_id, email);
    // A word or a domain would be replaced in the names and lists of all links.
    if (visitor === undefined && readEmail(text) === undefined) throw noSuchVisitor();
    const person: KnownAddress = visitor ?? { id: newId('viw', random), workspace_id, email };
    const linkIds = await findLinksWith(db, person);
    if (visitor === undefined && linkIds.length === 0 && !(await isRemembered(db, person))) {
      throw noSuchVisitor();
    }
    return { person, linkIds, isVisitor: visitor !== undefined };
  }

  async function* readSlices(context: HandlerContext, workspaceId: string, since: number) {
    for (let last: VisitorRow | undefined; ; ) {
      const rows: VisitorRow[] = await findVisitorsAfter(
        db,
        workspaceId,
        { last, since },
        sliceMax,
      );
      yield rows;
      if (rows.length < sliceMax) return;
      last = rows.at(-1);
      await takeTurn();
      // A long export ends when the caller loses access.
      await repeatAccessCheck(context, workspaceId);
    }
  }

  return {
    async listVisitors(request, context) {
      const orderBy = request.orderBy.trim() || 'last_view_time desc';
      const ordered = { ...request, orderBy };
      const query = parseListRequest(ordered, visitorList.sorts, context.signal);
      const { rows, ...page } = await findVisitors(db, workspaceOf(context), query);
      return { visitors: rows.map(visitorMessage), ...page };
    },

    async getVisitor({ email }, context) {
      return { visitor: visitorMessage(await require(db, workspaceOf(context), email)) };
    },

    async listVisitorViews(request, context) {
      const workspaceId = workspaceOf(context);
      const { email } = await require(db, workspaceId, request.email);
      const all = { ...request, query: '', orderBy: '' };
      const scope = { column: 'visitor', workspaceId, email } as const;
      const { rows, ...page } = await views.list(scope, all, context.signal);
      return { views: rows, ...page };
    },

    async *exportVisitors(_request, context) {
      const workspaceId = workspaceOf(context);
      const value = { name: 'visitors.csv', contentType: 'text/csv; charset=utf-8' };
      yield { part: { case: 'header', value: { ...value, generated: true } } };
      yield { part: { case: 'chunk', value: csvText([columns]) } };
      let newest: number | undefined;
      let slices = 0;
      for await (const rows of readSlices(context, workspaceId, 0)) {
        if (rows.length > 0) yield { part: { case: 'chunk', value: csvText(rows.map(csvRow)) } };
        newest ??= rows[0]?.last_view_time;
        slices++;
      }
      if (slices === 1 || newest === undefined) return;
      // Visitors who returned during the export may have left the part that was not read yet.
      for await (const rows of readSlices(context, workspaceId, newest)) {
        if (rows.length > 0) yield { part: { case: 'chunk', value: csvText(rows.map(csvRow)) } };
      }
    },

    async deleteVisitor({ email }, context) {
      const workspaceId = workspaceOf(context);
      const { person, linkIds, isVisitor } = await requireKnown(workspaceId, email);
      // A member can create any number of links with the address, so they are changed in slices.
      // The last one removes the visitor: a call that is repeated after a failure finds the rest.
      do {
        const slice = linkIds.splice(0, linksMax);
        await quotas.inTurn(workspaceId, () =>
          auditLog.change(context, { target: person.id }, async (trx, also) => {
            // A new view locks the usage, too.
            await quotas.lock(trx, workspaceId);
            for (const linkId of await eraseVisitorFromLinks(trx, person, slice)) {
              await revokeLink(trx, linkId);
              also('LinkService.RevokeLink', linkId);
            }
            if (linkIds.length > 0) return;
            // The person may have become a visitor in the meantime.
            const visitor = await findVisitor(trx, workspaceId, person.email);
            if (isVisitor && visitor === undefined) throw noSuchVisitor();
            await eraseVisitor(trx, visitor ?? person);
            await options.erasedReaders.endSessions(trx, person);
          }),
        );
        await setImmediate();
      } while (linkIds.length > 0);
      return {};
    },
  };
}

const noSuchVisitor = () => fail('not_found', 'The workspace has no such visitor.');

const columns = ['email', 'view_count', 'create_time', 'last_view_time'];

const csvRow = ({ email, view_count, create_time, last_view_time }: VisitorRow) => [
  ...[email, view_count, timeText(create_time), timeText(last_view_time)],
];

function visitorMessage(row: VisitorRow) {
  return {
    id: row.id,
    email: row.email,
    viewCount: row.view_count,
    createTime: timestampFromMs(row.create_time),
    lastViewTime: timestampFromMs(row.last_view_time),
  };
}
