// The fields that several commands have.
import type { FieldOption } from './call-spec.ts';

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
