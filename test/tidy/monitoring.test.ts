// The alert rules and the dashboard use metrics and labels that the service has. `npm run
// test:alerts` tests the rules with promtool.
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createLog } from '../../src/observe/log.ts';
import { createObserver } from '../../src/observe/observer.ts';
import { itHoldsFor } from '../support/rule.ts';
import { readText } from './files.ts';

type Rules = {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
};
type Dashboard = {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
};

const rules: Rules = parse(readText('deploy/prometheus/alerts.yaml'));
const dashboard: Dashboard = JSON.parse(readText('deploy/grafana/latchkey.json'));
const expressions = {
  rules: rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
  dashboard: dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
};

/** The metrics of a process and, for our own, their labels. */
async function knownMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { log } = createLog({ level: 'silent' });
  const observer = createObserver(log, () => 0);
  observer.route({
    ...{ name: 'home', requestId: '', peer: '', status: 200, failure: undefined },
    durationMs: 1,
    request: { method: 'GET', headers: {} },
  });
  observer.blob({ documentId: '', version: 1, source: 'scan', result: 'ok' });
  observer.backup({ result: 'ok', time: 0 });
  observer.state({
    signingKeys: async () => [{ alg: 'EdDSA', activateTime: 0, rotationTime: 0 }],
    certificateExpireTime: () => 0,
    connections: () => ({ max: 1, busy: 0, idle: 0, waiting: 0 }),
    leasesHeld: () => 0,
    mailQueues: async () => ({ reader: { mails: 1, oldestTime: 0 } }),
    oldestPreviewTime: async () => 0,
    nearQuota: async () => ({ bytes: 0 }),
  });
  const text = await observer.metrics.read();
  const labels = new Map<string, string[]>([['up', []]]);
  for (const [, name = ''] of text.matchAll(/^# TYPE (\w+) /gm)) labels.set(name, []);
  for (const [, name = '', list = ''] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
    const own = [...list.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    labels.set(baseOf(name), [...(labels.get(baseOf(name)) ?? []), ...own]);
  }
  return labels;
}

/** Metrics of docs/operations.md without an alert, and why. */
const withoutAlert = new Map([
  ['latchkey_signing_key_activate_time_seconds', 'the time of the next rotation has one'],
  ['latchkey_database_connections', 'queries that wait for a connection have one'],
  ['latchkey_database_connections_max', 'a setting'],
  ['latchkey_mail_queue', 'the age of the oldest mail has one'],
  ['latchkey_preview_queue', 'the age of the oldest file has one'],
  ['latchkey_usage_total', 'the use of a client'],
]);

/** It has a series for each client, and exists only with a setting. */
const withoutPanel = ['latchkey_usage_total'];

test('each metric of the guide has an alert and a panel, or a reason', () => {
  const guide = readText('docs/operations.md');
  const named = new Set([...guide.matchAll(/`(latchkey_\w+)/g)].map(([, name = '']) => name));
  const uses = (list: readonly string[], name: string) =>
    list.some((expr) => new RegExp(`\\b${name}(_count|_bucket|_sum)?\\b`).test(expr));
  expect(named.size).toBeGreaterThan(15);
  const missing = [...named].filter((name) => !uses(expressions.rules, name));
  expect(missing.sort()).toEqual([...withoutAlert.keys()].sort());
  const unseen = [...named].filter((name) => !uses(expressions.dashboard, name));
  expect(unseen).toEqual(withoutPanel);
});

const baseOf = (name: string) => name.replace(/_(bucket|count|sum)$/, '');

/** Prometheus adds these labels. The labels of calls appear only with a first call. */
const otherLabels = ['job', 'instance', 'method', 'transport', 'code', 'le'];

itHoldsFor(Object.entries(expressions), 2)(
  'the rules and the dashboard use only existing metrics',
  async (_, used) => {
    const known = await knownMetrics();
    expect(used.length).toBeGreaterThan(10);
    for (const expr of used) {
      const names = [...expr.matchAll(/\b((?:latchkey|nodejs|process)_\w+|up)(?=[{[\s)]|$)/g)];
      expect(names, expr).not.toEqual([]);
      for (const [, name = ''] of names) {
        expect([...known.keys()], expr).toContain(baseOf(name));
      }
      const labels = [...expr.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label = '']) => label);
      const all = [...otherLabels, ...[...known.values()].flat()];
      for (const label of labels) expect(all, expr).toContain(label);
    }
  },
);
