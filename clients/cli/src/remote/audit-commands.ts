// The commands that find resources, and read the audit log and the usage.
import type { Command } from '../base/command.ts';
import { groupOf } from './call-command.ts';
import { pastField } from './common-fields.ts';
import { searchCommand } from './search-command.ts';
import { exportAuditCommand } from './transfer-commands.ts';

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
      token_id: {
        ...{ name: 'token-id', value: 'id' },
        about: 'Only calls with the token of this `jti`.',
      },
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
      'audit list --token-id 5f0c…',
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

const installation = groupOf('installation', 'Shows the state of the installation.', [
  {
    name: 'get',
    about:
      'Shows credentials that expire soon, the next key rotations, the nodes, and the health of ' +
      'mail, blobs and backups.',
    method: 'installation.getInstallation',
    examples: ['installation get --json'],
  },
  {
    name: 'confirm-master-key-copy',
    about: 'Records that a copy of the master key exists outside the servers.',
    method: 'installation.confirmMasterKeyCopy',
  },
]);

export const auditCommands: readonly Command[] = [searchCommand, audit, usage, installation];
