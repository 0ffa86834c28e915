// The gauges of the state, with sources that the real service has only during an outage.
import { expect, test } from 'vitest';
import { createLog } from '../../src/observe/log.ts';
import { createObserver } from '../../src/observe/observer.ts';

test('values that cannot be read are left out, and frequent scrapes read once', async () => {
  const { log } = createLog({ level: 'silent' });
  const { state, metrics } = createObserver(log, () => 0);
  let reads = 0;
  state({
    signingKeys: () => Promise.reject(new Error('the database is away')),
    certificateExpireTime: undefined,
    connections: () => undefined,
    leasesHeld: () => 3,
    async mailQueues() {
      reads++;
      return {
        reader: { mails: 2, oldestTime: 5_000 },
        views: { mails: 0, oldestTime: undefined },
      };
    },
    oldestPreviewTime: async () => 7_000,
    nearQuota: () => new Promise(() => {}),
  });
  const read = async () => {
    const lines = (await metrics.read()).split('\n');
    return lines.filter((line) =>
      /^latchkey_(signing|tls|data|leases|mail|preview_queue_oldest|workspaces)/.test(line),
    );
  };

  const first = await read();

  expect(first).toEqual([
    'latchkey_leases_held 3',
    'latchkey_mail_queue{kind="reader"} 2',
    'latchkey_mail_queue{kind="views"} 0',
    'latchkey_mail_queue_oldest_time_seconds{kind="reader"} 5',
    'latchkey_preview_queue_oldest_time_seconds 7',
  ]);
  expect(await read()).toEqual(first);
  expect(reads).toBe(1);
});
