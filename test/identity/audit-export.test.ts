// AuditService.ExportAuditEvents: the files, their filters, and who may have them.
import { beforeAll, expect, it } from 'vitest';
import type { AuditEventRow } from '../../src/storage/schema/schema.ts';
import { describeApp } from '../support/app-suite.ts';
import { auditEventRow } from '../support/audit-rows.ts';
import { addClient } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { bearer, keyOf } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';

/** In the future, so that no retention deletes the events. */
const t0 = Date.UTC(2100, 0, 1);
const many = 450;

describeApp('an export of the audit log', (suite) => {
  let clientId = '';
  const row = (fields: Partial<AuditEventRow>) =>
    auditEventRow({ create_time: t0, actor_id: clientId, ...fields });
  beforeAll(async () => {
    clientId = (await addClient(suite.app.inside.db, '')).ownerId;
    const rows = Array.from({ length: many }, (_, n) =>
      row({ create_time: t0 + n * 1_000, code: n % 3 === 0 ? 'forbidden' : 'ok' }),
    );
    rows.push(row({ create_time: t0 + 1e6, target: '=1+1', action: 'LinkService.RevokeLink' }));
    await suite.app.inside.db.insertInto('audit_events').values(rows).execute();
  });

  async function download(query: string, credential?: Record<string, string>) {
    const token = await signToken(suite.app, {
      type: 'staff',
      scope: 'audit:read clients:read',
    });
    const url = `${suite.app.publicUrl}/audit-events:export?${query}`;
    const response = await fetch(url, { headers: credential ?? bearer(token) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const linesOf = (text: string) => text.trimEnd().split(/\r?\n/);
  const own = () => `actor=${clientId}`;

  it('has each event once, newest first, as CSV with the names', async () => {
    const { status, headers, text } = await download(own());
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toContain('audit-events.csv');
    const [head, newest, ...rest] = linesOf(text);
    expect(head).toMatch(/^"create_time","actor_type","actor","actor_name","action"/);
    expect(newest).toContain('"2100-01-01T00:16:40.000Z","service"');
    expect(newest).toContain('"Test client"');
    // A spreadsheet must not read a value as a formula.
    expect(newest).toContain(`"'=1+1"`);
    expect(rest).toHaveLength(many);
    const times = rest.map((line) => line.slice(1, 25));
    expect(times).toEqual(times.toSorted().reverse());
    expect(new Set(rest).size).toBe(many);
  });

  it('has the JSON of the list in each line of NDJSON', async () => {
    const { headers, text } = await download(`${own()}&format=ndjson`);
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const events = linesOf(text).map((line) => JSON.parse(line));
    expect(events).toHaveLength(many + 1);
    const listed = await fetch(`${suite.app.publicUrl}/audit-events?${own()}&page_size=200`, {
      headers: bearer(
        await signToken(suite.app, { type: 'staff', scope: 'audit:read clients:read' }),
      ),
    });
    const { events: page } = (await listed.json()) as { events: unknown[] };
    expect(events.slice(0, 200)).toEqual(page);
  });

  itHoldsFor([
    ['code=forbidden', 150],
    ['action=LinkService.RevokeLink', 1],
    ['action=ClientService.CreateClient&code=forbidden', 150],
    ['target=%3D1%2B1', 1],
    ['start_time=2100-01-01T00:00:10Z&end_time=2100-01-01T00:00:20Z', 10],
  ] as const)('has only the events that match all filters', async (filter, count) => {
    const { text } = await download(`${own()}&${filter}&format=ndjson`);
    expect(linesOf(text)).toHaveLength(count);
  });

  it('has no names without the scopes that list them', async () => {
    const token = await signToken(suite.app, { type: 'service', scope: 'audit:read' });
    const { text } = await download(own(), bearer(token));
    expect(text).not.toContain('Test client');
  });

  it('is refused for other callers and wrong filters', async () => {
    const member = await signToken(suite.app, { type: 'member', scope: 'audit:read' });
    expect((await download(own(), bearer(member))).status).toBe(403);
    expect((await download(own(), keyOf(suite.testApp))).status).toBe(401);
    expect((await download(own(), {})).status).toBe(401);
    for (const query of [
      'format=xml',
      'code=X',
      'start_time=2100-01-01T00:00:00Z&end_time=2099-01-01T00:00:00Z',
    ]) {
      expect((await download(query)).status, query).toBe(400);
    }
  });
});
