// The columns of lists: the title and the format of each value, by its path in an item.
import { type Field, pathWords } from '../base/print.ts';

const titles = {
  account_ids: 'Accounts',
  acting_client_name: 'Read by',
  action: 'Action',
  activate_time: 'Activated',
  actor: 'Actor ID',
  actor_name: 'Actor',
  address: 'IP address',
  alg: 'Algorithm',
  allowed_domains: 'Domains',
  amr: 'Method',
  average_duration_ms: 'Average time',
  browser: 'Browser',
  code: 'Outcome',
  content_type: 'Type',
  create_time: 'Created',
  current: 'This session',
  delete_time: 'Deleted for good',
  device: 'Device',
  disable_time: 'Disabled',
  document_name: 'Document',
  download_count: 'Downloads',
  duration_ms: 'Time spent',
  email: 'Email address',
  email_verified: 'Verified',
  enabled: 'Enabled',
  expire_time: 'Expires',
  id: 'ID',
  identifier: 'Identifier',
  issuer: 'Issuer',
  issuer_id: 'Issuer ID',
  kid: 'ID',
  kind: 'Type',
  last_used_time: 'Last used',
  link_count: 'Links',
  link_name: 'Link',
  name: 'Name',
  page: 'Page',
  page_count: 'Pages',
  ready_time: 'Ready',
  refresh_error: 'Problem',
  refresh_time: 'Last used',
  retire_time: 'Retired',
  revoke_time: 'Revoked',
  role: 'Role',
  scopes: 'Scopes',
  signing_alg: 'Algorithm',
  size_bytes: 'Size',
  start_time: 'Started',
  state: 'State',
  subject: 'Subject',
  target: 'Target ID',
  target_name: 'Target',
  time: 'Day',
  totp_enabled: 'Two-factor',
  url: 'Address',
  'days.start_time': 'Day',
  'usage.bytes': 'Size',
  'usage.documents': 'Documents',
  user_id: 'User ID',
  version: 'Version',
  view_count: 'Views',
} as const;

/** A path, or a path with a title for one list. */
export type ListColumn = keyof typeof titles | Pick<Field, 'path' | 'title' | 'fallback'>;

export function fieldOf(column: ListColumn): Field {
  const field = typeof column === 'string' ? { path: column, title: titles[column] } : column;
  const format =
    field.title === 'Day' ? 'day' : formats.find(([end]) => field.path.endsWith(end))?.[1];
  return format === undefined ? field : { ...field, format };
}

/**
 * The column of a value in any object, or in a list of the object. A value that no list has is
 * titled with its path.
 */
export function fieldAt(path: string, list = ''): Field {
  const all = new Map<string, string>(Object.entries(titles));
  return fieldOf({ path, title: all.get(`${list}.${path}`) ?? all.get(path) ?? pathWords(path) });
}

const formats = [
  ['time', 'time'],
  ['bytes', 'bytes'],
  ['_ms', 'duration'],
  ['completion', 'share'],
  ['amr', 'sign-in'],
] as const;
