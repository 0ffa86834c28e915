// The description of a route in the OpenAPI document. Methods are described in their proto files.
import type { ErrorCode } from '../../base/errors/catalogue.ts';

export type RouteDoc = {
  readonly id: string;
  readonly tag: RouteTag;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, RouteField>>;
  readonly headers?: readonly RouteHeader[];
  readonly needsAccess?: boolean;
  /** Whether a program may send a token instead of the cookie of a reader. */
  readonly acceptsPrograms?: boolean;
  readonly form?: Readonly<Record<string, RouteField>>;
  readonly responses: Readonly<Record<number, RouteAnswer>>;
  readonly errors: readonly ErrorCode[];
};

export const routeTags = {
  Discovery: 'Metadata of the service for OAuth libraries.',
  'Shared links': 'The pages and files that readers of a shared link see.',
  'API reference': 'This document, as data and as a page, and the list of errors.',
  Console: 'The web console.',
  'Company sign-in': 'The paths by which a browser signs in with an identity provider.',
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
  /** A JSON Schema. Each part with a `title` is a component of that name. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
};
