// Parses list requests: the page, the order and the text to search. A page token holds the position
// of the last row in this order, so that no row is lost or repeated if the list grows.
import { createHash } from 'node:crypto';
import { invalid } from '../../base/errors/errors.ts';
import { type PageRequest, pageTokenAt, parsePageRequest } from './page-token.ts';

export type ListRequest = PageRequest & { readonly query: string; readonly orderBy: string };

const timeField = 'create_time';

/** Texts are sorted without regard to the case of ASCII letters. */
type SortKind = 'number' | 'text';

/** The columns by which a list can be sorted. The fields of the API have the same names. */
export type SortColumns = { readonly create_time: 'number' } & Readonly<Record<string, SortKind>>;

export type ListPosition = { readonly value: string | number; readonly id: string };

export type ListQuery = {
  readonly limit: number;
  /** Only rows that contain this text; empty means all rows. */
  readonly text: string;
  /** The filters that the list examines rows for, as a text; empty means none. */
  readonly filter: string;
  readonly sort: {
    readonly field: string;
    readonly kind: SortKind;
    readonly descending: boolean;
  };
  readonly after: ListPosition | undefined;
  /** The total of the first page, if the page token contains it. */
  readonly total: number | undefined;
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Parses the fields of a list request. The default order is `create_time desc`. Throws
 * `invalid_argument` for an unknown field of the order, and for a page token of another order,
 * another query or another `filter`. A search stops when `signal` is aborted.
 */
export function parseListRequest(
  request: ListRequest,
  sorts: SortColumns,
  signal?: AbortSignal,
  filter = '',
): ListQuery {
  const listed: Listed = {
    sort: parseOrder(request.orderBy, sorts),
    text: request.query.trim(),
    filter,
  };
  const { pageSize, pageToken } = request;
  if (isNewestFirst(listed)) {
    if (isListToken(pageToken)) throw otherList();
    const { limit, after } = parsePageRequest(request);
    const position = after && { value: after.time, id: after.id };
    return { ...listed, limit, after: position, total: undefined, signal };
  }
  const { limit } = parsePageRequest({ pageSize, pageToken: '' });
  if (pageToken === '') return { ...listed, limit, after: undefined, total: undefined, signal };
  return { ...listed, limit, ...readListToken(pageToken, listed), signal };
}

/** Whether the rows are examined in slices, because no index finds those that match. */
export const isExamined = ({ text, filter }: Pick<ListQuery, 'text' | 'filter'>) =>
  text !== '' || filter !== '';

export function listTokenAt({ value, id }: ListPosition, query: Listed, total: number): string {
  if (isNewestFirst(query)) return pageTokenAt({ time: Number(value), id });
  return Buffer.from(JSON.stringify([digestOf(query), value, id, total])).toString('base64url');
}

type Listed = Pick<ListQuery, 'sort' | 'text' | 'filter'>;

/** Such pages have the same tokens as in release 0.1. */
const isNewestFirst = ({ sort, ...rest }: Listed) =>
  sort.field === timeField && sort.descending && !isExamined(rest);

/** `<field>` or `<field> desc` (AIP-132). */
function parseOrder(orderBy: string, sorts: SortColumns): ListQuery['sort'] {
  if (orderBy.trim() === '') return { field: timeField, kind: 'number', descending: true };
  const [field = '', direction = 'asc', ...rest] = orderBy.trim().split(/\s+/);
  const kind = Object.hasOwn(sorts, field) ? sorts[field] : undefined;
  if (kind === undefined) {
    const known = Object.keys(sorts).join(', ');
    throw invalid('order_by', `must name one of these fields: ${known}; not ${quote(field)}`);
  }
  if (rest.length > 0 || (direction !== 'asc' && direction !== 'desc')) {
    throw invalid('order_by', `must be "${field}" or "${field} desc"`);
  }
  return { field, kind, descending: direction === 'desc' };
}

const quote = (text: string) => JSON.stringify(text.slice(0, 64));

function digestOf({ sort: { field, descending }, text, filter }: Listed): string {
  const parts = [`${field} ${descending ? 'desc' : 'asc'}`, text];
  if (filter !== '') parts.push(filter);
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 16);
}

const isListToken = (token: string) => Buffer.from(token, 'base64url').toString().startsWith('["');

function readListToken(token: string, listed: Listed): Pick<ListQuery, 'after' | 'total'> {
  // A token of the default order and no query.
  if (!isListToken(token)) {
    parsePageRequest({ pageSize: 0, pageToken: token });
    throw otherList();
  }
  const [digest, value, id, total] = parseArray(token);
  const isPosition =
    (listed.sort.kind === 'text' ? isText(value) : isCount(value)) &&
    typeof id === 'string' &&
    /^[\w-]{1,64}$/.test(id) &&
    isCount(total);
  if (digest !== digestOf(listed)) throw otherList();
  if (!isPosition) throw invalid('page_token', notAToken);
  return { after: { value, id } as ListPosition, total };
}

function parseArray(token: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    throw invalid('page_token', notAToken);
  }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** PostgreSQL stores no NUL. */
const isText = (value: unknown) =>
  typeof value === 'string' && value.length <= 1_024 && !value.includes('\0');

const notAToken = 'must be the next_page_token of a previous response';

const otherList = () =>
  invalid(
    'page_token',
    'must be used with the query, filters and order_by of the response it is from',
  );
