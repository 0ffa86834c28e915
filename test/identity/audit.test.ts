// AuditService.ListAuditEvents.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  AuditService,
  type ListAuditEventsRequestSchema,
} from '../../gen/latchkey/identity/v1/audit_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import type { AuditEventRow, Database } from '../../src/storage/schema/schema.ts';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { auditEventRow, auditEventsOf, withFailingAuditLog } from '../support/audit-rows.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { keyOf, makeLink, storedState, upload } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';

const { listAuditEvents } = AuditService.method;
const { revokeLink, updateLink } = LinkService.method;

type Filter = Omit<MessageInitShape<typeof ListAuditEventsRequestSchema>, '$typeName'>;

/** In the future, so that no retention deletes the events. */
const t0 = Date.UTC(2100, 0, 1);

const row = (fields: Partial<AuditEventRow>) =>
  auditEventRow({ create_time: t0, actor_id: 'cli_a', target: 'cli_1', ...fields });

const insert = (db: Database, ...rows: AuditEventRow[]) =>
  db.insertInto('audit_events').values(rows).execute();

/** Six events, a second apart, the newest last. */
const sixEvents = [
  row({ request_id: '0' }),
  row({ request_id: '1', actor_id: 'usr_b', actor_type: 'staff' }),
  row({ request_id: '2', target: 'cli_2', token_id: 'a token', count: 7 }),
  row({ request_id: '3', action: 'ClientService.DisableClient' }),
  row({ request_id: '4', code: 'forbidden' }),
  row({
    request_id: '5',
    actor_id: '',
    actor_type: 'anonymous',
    action: 'IssuanceService.IssueToken',
    code: 'identity.credential_invalid',
  }),
].map((one, i) => ({ ...one, create_time: t0 + i * 1000 }));

const at = (i: number) => timestampFromMs(t0 + i * 1000);

const filters: [name: string, filter: Filter, expected: string][] = [
  ['nothing', {}, '543210'],
  ['an actor', { actor: 'cli_a' }, '4320'],
  ['another actor', { actor: 'usr_b' }, '1'],
  ['an unknown actor', { actor: 'usr_c' }, ''],
  ['a target', { target: 'cli_2' }, '2'],
  ['an action', { action: 'ClientService.CreateClient' }, '4210'],
  ['an action that never was', { action: 'ClientService.Nothing' }, ''],
  ['successes', { code: 'ok' }, '3210'],
  ['a code', { code: 'identity.credential_invalid' }, '5'],
  ['a token', { tokenId: 'a token' }, '2'],
  ['a token and another actor', { tokenId: 'a token', actor: 'usr_b' }, ''],
  ['a start, which counts', { startTime: at(3) }, '543'],
  ['an end, which does not count', { endTime: at(3) }, '210'],
  ['a time between', { startTime: at(1), endTime: at(3) }, '21'],
  ['actor and target', { actor: 'cli_a', target: 'cli_1' }, '430'],
  [
    'actor, action and code',
    { actor: 'cli_a', action: sixEvents[0]?.action ?? '', code: 'ok' },
    '20',
  ],
  [
    'all at once',
    {
      actor: 'cli_a',
      target: 'cli_1',
      action: 'ClientService.CreateClient',
      code: 'forbidden',
      startTime: at(4),
      endTime: at(5),
    },
    '4',
  ],
  ['all at once, of which one does not fit', { actor: 'usr_b', target: 'cli_2' }, ''],
];

const refusals: [name: string, filter: Filter, field: string][] = [
  ['an end before its start', { startTime: at(2), endTime: at(1) }, 'end_time'],
  ['an end at its start', { startTime: at(2), endTime: at(2) }, 'end_time'],
  ['an action without its service', { action: 'CreateClient' }, 'action'],
  ['an action with its package', { action: 'latchkey.v1.ClientService/Create' }, 'action'],
  ['a code of another form', { code: '403' }, 'code'],
  ['a long actor', { actor: 'x'.repeat(129) }, 'actor'],
  ['a long token', { tokenId: 'x'.repeat(129) }, 'token_id'],
  ['a long target', { target: 'x'.repeat(129) }, 'target'],
  ['a NUL in its target', { target: 'a\0b' }, 'target'],
  ['a negative page size', { pageSize: -1 }, 'page_size'],
  ['a malformed page token', { pageToken: 'x' }, 'page_token'],
];

describeApp('the list of events', (suite) => {
  let authorization: string;
  beforeAll(async () => {
    await insert(suite.app.inside.db, ...sixEvents);
    const token = await signToken(suite.app, { type: 'service', scope: 'audit:read' });
    authorization = `Bearer ${token}`;
  });

  describeOneTransport(suite, (transport) => {
    const call = suite.callsThrough(transport, () => ({ authorization }));
    const list = async (filter: Filter) => messageOf(await call(listAuditEvents, filter));

    itHoldsFor(filters, 18)('lists newest first with every filter', async (_, filter, expected) => {
      const { events } = await list(filter);
      expect(events.map(({ requestId }) => requestId).join('')).toBe(expected);
    });

    itHoldsFor(refusals, 11)('rejects a bad filter', async (_, filter, field) => {
      expect(await call(listAuditEvents, filter)).toMatchObject({
        ok: false,
        error: { code: 'invalid_argument', fields: [field] },
      });
    });

    // The tests below add more events.
    it('neither repeats nor skips an event while others arrive', async () => {
      const { db } = suite.app.inside;
      const target = `cli_${transport}`;
      // Several of the same millisecond, too.
      const rows = Array.from({ length: 9 }, (_, i) =>
        row({ target, code: 'forbidden', create_time: t0 + Math.floor(i / 3) }),
      );
      await insert(db, ...rows);
      const seen: string[] = [];
      let pageToken = '';
      do {
        const page = await list({ target, pageSize: 2, pageToken });
        seen.push(...page.events.map(({ id }) => id));
        pageToken = page.nextPageToken;
        await insert(db, row({ target, code: 'forbidden', create_time: t0 + 9 }));
      } while (pageToken !== '');

      expect(new Set(seen).size).toBe(seen.length);
      expect([...seen].sort()).toEqual(rows.map(({ id }) => id).sort());
    });
  });

  it('is flat JSON over HTTP, and accepts times in the query', async () => {
    const query =
      'code=ok&start_time=2100-01-01T00:00:01.0005Z&endTime=2100-01-01T03:00:03%2B03:00';
    const response = await fetch(`${suite.app.publicUrl}/audit-events?${query}`, {
      headers: { authorization },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      events: [
        {
          id: sixEvents[2]?.id,
          create_time: '2100-01-01T00:00:02Z',
          actor_type: 'service',
          actor: 'cli_a',
          action: 'ClientService.CreateClient',
          target: 'cli_2',
          code: 'ok',
          count: 7,
          request_id: '2',
          address: '192.0.2.1',
          actor_name: '',
          target_name: '',
          target_parents: [],
          reason: '',
          acting_client: '',
          token_id: 'a token',
        },
      ],
      next_page_token: '',
    });
  });

  itHoldsFor(['start_time=yesterday', 'end_time=1767225600', 'start_time=', 'since=2026-01-01'], 4)(
    'rejects a bad query, and names its field',
    async (query) => {
      const url = `${suite.app.publicUrl}/audit-events?${query}`;
      const response = await fetch(url, { headers: { authorization } });
      expect({ status: response.status, body: await response.json() }).toMatchObject({
        status: 400,
        body: { code: 'invalid_argument', errors: [{ field: query.split('=')[0] }] },
      });
    },
  );

  describe('of a change', () => {
    it('has no event if the change is rejected at its end', async () => {
      const link = await makeLinkIn(suite);
      const gone = { ...keyOf(suite.testApp), requestId: 'gone' };
      const done = { ...keyOf(suite.testApp), requestId: 'done' };
      await suite.transport('grpc').call(revokeLink, { linkId: link }, done);
      const late = await suite
        .transport('grpc')
        .call(updateLink, { linkId: link, name: 'x' }, gone);

      expect(late).toMatchObject({ ok: false, error: { code: 'conflict' } });
      expect(await auditEventsOf(suite.app.inside.db, 'gone')).toEqual([]);
      expect(await auditEventsOf(suite.app.inside.db, 'done')).toMatchObject([{ target: link }]);
    });

    it('undoes an upload and a deletion if it cannot be written', async () => {
      const { testApp, dialect } = suite;
      const { id } = await upload(testApp, Buffer.from('kept'));
      const before = await storedState(testApp);
      const documents = `${suite.app.publicUrl}/api/v1/documents`;
      const body = new FormData();
      body.set('file', new Blob(['refused']), 'refused.bin');

      await withFailingAuditLog(suite.app.inside.db, dialect, async () => {
        const headers = keyOf(testApp);
        const up = await fetch(documents, { method: 'POST', headers, body });
        const down = await fetch(`${documents}/${id}`, { method: 'DELETE', headers });
        expect([up.status, down.status]).toEqual([500, 500]);
      });

      expect(await storedState(testApp)).toEqual(before);
      const file = await fetch(`${documents}/${id}/file`, { headers: keyOf(testApp) });
      expect(await file.text()).toBe('kept');
    });
  });
});

async function makeLinkIn({ testApp }: Suite): Promise<string> {
  const { id } = await upload(testApp, Buffer.from('shared'));
  return (await makeLink(testApp, id)).id;
}
