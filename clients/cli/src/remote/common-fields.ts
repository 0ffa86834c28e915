// The fields that several commands have.
import type { FieldOption } from './call-spec.ts';
import type { ListColumn } from './columns.ts';

export const clientArg = { client_id: 'The id of the client.' };

export const nameField: FieldOption = { value: 'name', about: 'The display name.' };
export const scopesField: FieldOption = {
  name: 'scope',
  value: 'scope',
  isList: true,
  about: 'A scope, such as `accounts:read`.',
};
export const expireField: FieldOption = {
  name: 'expires',
  value: 'time',
  about: 'When it expires: a time, or the time from now, such as `30d`. Default: never.',
};

/** The option of a list with deleted resources. */
export const showDeletedField = {
  show_deleted: { about: 'Also lists deleted ones that can be undeleted.' },
} satisfies Readonly<Record<string, FieldOption>>;

/** The filter of a list by external id. */
export const externalIdFilter = {
  external_id: { name: 'external-id', value: 'id', about: 'Only the one with this external id.' },
} satisfies Readonly<Record<string, FieldOption>>;

export const externalIdField = {
  external_id: {
    name: 'external-id',
    value: 'id',
    about: 'Its id in a system of yours, such as a repository of configuration.',
  },
} satisfies Readonly<Record<string, FieldOption>>;

export const etagField = {
  etag: {
    value: 'etag',
    about: 'The `etag` that the change is based on: fails if it has another one now.',
  },
} satisfies Readonly<Record<string, FieldOption>>;

export const overlapField: FieldOption = {
  value: 'seconds',
  about: 'How long the old one still works. Default: 86400, one day.',
};

export const audienceField: FieldOption = {
  value: 'id',
  isList: true,
  about: 'The id of an audience. Default: only the audience of the service.',
};

/** The columns of a secret or key. */
export const credentialColumns: readonly ListColumn[] = [
  'id',
  'name',
  'state',
  'create_time',
  'expire_time',
  'last_used_time',
];

export const byAddress =
  'Staff and service clients can give the email address of a user instead of the id.';

/** Commands with this argument resolve an address. */
export const userArgument = { user_id: `The id of the user. ${byAddress}` };
