/** The filter of a list with deleted resources. */
export const deletedFilter = {
  deleted: { label: 'Deleted', choices: { shown: 'Include deleted' } },
} as const;

export type DeletedSearch = { readonly deleted?: 'shown' };

export const showDeleted = ({ deleted }: DeletedSearch) => ({ showDeleted: deleted === 'shown' });
