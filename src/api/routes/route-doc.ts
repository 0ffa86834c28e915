// The description of a route in the OpenAPI document. Methods are described in their proto files.
import type { ErrorCode } from '../../base/errors/catalogue.ts';

export type RouteDoc = {
  /** The unique `operationId`. */
  readonly id: string;
  readonly tag: RouteTag;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** The variables of the path. */
  readonly path?: Readonly<Record<string, string>>;
  /** Request headers that the route reads. */
  readonly headers?: readonly RouteHeader[];
  /** Whether the route needs the cookie of a reader who passed the gate of the link. */
  readonly needsAccess?: boolean;
  readonly form?: Readonly<Record<string, RouteField>>;
  /** The responses of the route, by status. */
  readonly responses: Readonly<Record<number, RouteAnswer>>;
  /** The errors that the route responds with as `application/problem+json`. */
  readonly errors: readonly ErrorCode[];
};

/** The tags of routes. */
export const routeTags = {
  Discovery: 'Metadata of the service for OAuth libraries.',
  'Shared links': 'The pages and files that readers of a shared link see.',
  'API reference': 'This document, as data and as a page, and the list of errors.',
  Console: 'The web console.',
  Operations:
    'Health and metrics of a node. They are on the operations port, `127.0.0.1:9464` by default, ' +
    'and need no credential.',
} as const;
type RouteTag = keyof typeof routeTags;

export type RouteHeader = 'Range' | 'If-Range' | 'If-None-Match' | 'If-Match';

export type RouteField = {
  readonly description: string;
  readonly isRequired?: boolean;
  readonly pattern?: string;
  readonly lengthMax?: number;
};

export type RouteAnswer = {
  readonly description: string;
  /** The content types. Unset means no body. */
  readonly types?: readonly string[];
  /** The schema of a JSON body. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Additional response headers: names and descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
};
