import { expect, test } from 'vitest';
import { problemsOf } from '../../support/config-problems.ts';

test('a schedule of backups has a target and a recipient, and is a schedule', () => {
  const schedule = { LATCHKEY_BACKUP_SCHEDULE: '30 2 * * *' };
  const target = { LATCHKEY_BACKUP_TARGET: 'file:/backups' };
  const recipient = { LATCHKEY_BACKUP_RECIPIENT: 'age1abc' };
  const missing = [
    'LATCHKEY_BACKUP_SCHEDULE: requires LATCHKEY_BACKUP_TARGET and LATCHKEY_BACKUP_RECIPIENT',
  ];
  expect(problemsOf(schedule)).toEqual(missing);
  expect(problemsOf({ ...schedule, ...target })).toEqual(missing);
  expect(problemsOf({ ...schedule, ...recipient })).toEqual(missing);
  expect(problemsOf({ ...schedule, ...target, ...recipient })).toEqual([]);
  for (const text of ['daily', '30 2 * *', '0 30 2 * * *', '61 2 * * *', '0 0 30 2 *']) {
    expect(problemsOf({ ...target, ...recipient, LATCHKEY_BACKUP_SCHEDULE: text })).toEqual([
      'LATCHKEY_BACKUP_SCHEDULE: must be five fields of cron, such as 30 2 * * *',
    ]);
  }
});

test('backups are stored apart from the documents', () => {
  const url = 's3://bucket/prefix?endpoint=http://127.0.0.1:9000';
  expect(problemsOf({ LATCHKEY_BLOB_URL: url, LATCHKEY_BACKUP_TARGET: url })).toEqual([
    'LATCHKEY_BACKUP_TARGET: must differ from LATCHKEY_BLOB_URL',
  ]);
});
