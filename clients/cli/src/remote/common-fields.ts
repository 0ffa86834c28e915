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
