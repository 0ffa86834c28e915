import type { RetentionRule } from '../../storage/retention.ts';
import { deleteRemovedRows } from './store.ts';

/** Deletes the links and views of removed documents, and then the documents. */
export const removal: RetentionRule = {
  rows: 'removed documents',
  begin: () => deleteRemovedRows,
};
