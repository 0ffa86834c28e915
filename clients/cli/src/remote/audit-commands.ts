// The commands that find resources, and read the audit log and the usage.
import type { Command } from '../base/command.ts';
import { callCommand, groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';
import { exportAuditCommand } from './transfer-commands.ts';

const pastField = (about: string): FieldOption => ({
  value: 'time',
  about: `${about}. \`7d\` is seven days ago.`,
  isPast: true,
});

const audit = groupOf('audit', 'Reads the audit log.', [
  {
    name: 'list',
    about: 'Lists audit events, newest first.',
    method: 'audit.listAuditEvents',
    fields: {
      actor: { value: 'id', about: 'Only events of this caller.' },
      target: { value: 'id', about: 'Only events on this resource.' },
      action: { value: 'action', about: 'Only events of this action.' },
      code: { value: 'code', about: 'Only events with this error code.' },
      start_time: pastField('Only events from this time on'),
      end_time: pastField('Only events before this time'),
    },
    isFollowed: true,
    columns: [
      { path: 'create_time', title: 'Time' },
      'actor_name',
      'action',
      'target_name',
      'code',
      'address',
      'actor',
      'target',
    ],
    examples: [
      'audit list --action ClientService.CreateClient --all',
      'audit list --code forbidden --start-time 7d',
      'audit list --follow --json',
    ],
  },
  exportAuditCommand,
]);

const usage = groupOf('usage', 'Reads how clients and customers use tokens.', [
  {
    name: 'get',
    about: 'Shows how many token requests and verifications each day had.',
    method: 'usage.getUsage',
    args: { credential_id: 'The id of a client, a customer, a secret or a customer’s API key.' },
    fields: {
      start_time: pastField(
        'The first day is the day of this time. Default: 29 days before the last',
      ),
      end_time: pastField('The last day begins before this time. Default: now'),
      step: { value: 'step', values: ['day'], about: 'The period of each row.' },
    },
    isWhole: true,
    columns: [
      'time',
      { path: 'issued', title: 'Issued' },
      { path: 'refused', title: 'Refused' },
      { path: 'verified', title: 'Verified' },
      { path: 'refusals', title: 'Refused with' },
    ],
    examples: ['usage get cli_… --start-time 90d'],
  },
]);

const search = callCommand({
  name: 'search',
  about: 'Finds resources of every kind by a name, an address, an id or the URL of a link.',
  details:
    'You find the resources that you may list. The start of a name or an id finds all of them; ' +
    'other parts find only the newest.',
  method: 'search.search',
  args: { query: 'The text to find, at least two characters.' },
  fields: {
    workspace_id: { value: 'id', about: 'Only resources of this workspace.' },
    page_size: { value: 'count', about: 'The rows to print, at most 50. Default: 20.' },
  },
  isWhole: true,
  columns: [
    'kind',
    'name',
    { path: 'detail', title: 'Address' },
    { path: 'parents.0.name', title: 'Owner', fallback: 'parents.0.id' },
    'id',
  ],
  examples: ['search ada@example.com', 'search doc_4D6G --json'],
});

export const auditCommands: readonly Command[] = [search, audit, usage];
