import type { ResourceKind } from '../audit/names/store.ts';
import type { SearchTable } from '../storage/queries/search.ts';

/** A kind of resource that a search finds. The modules declare theirs. */
export type SearchKind = SearchTable & { readonly kind: ResourceKind };
