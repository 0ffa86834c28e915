import type { BodyBudgets } from '../../api/body-budget.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import type { HttpObservation, HttpRoute, LinkDomain } from '../../api/routes/route.ts';
import type { Failure } from '../../base/errors/errors.ts';
import type { NotFoundHtml } from '../../site/not-found-html.ts';
import type { Deadlines } from '../http/deadlines.ts';
import type { PeerOf } from '../http/peer.ts';
import type { Unread } from '../http/unread.ts';

export type GatewayOptions = {
  readonly endpoints: readonly Endpoint[];
  readonly routes: readonly HttpRoute[];
  /** Sent to browsers for a path that does not exist: under the own host name, or a domain. */
  readonly notFoundHtml?: { readonly own: NotFoundHtml; readonly domain: NotFoundHtml };
  /** Returns the custom domain of a Host header. */
  readonly findDomain: (host: string | undefined) => LinkDomain | undefined;
  /** The service's own origin. */
  readonly publicUrl: string;
  readonly peerOf: PeerOf;
  readonly bodies: BodyBudgets;
  readonly deadlines: Deadlines;
  readonly unread: Unread;
  /** Called with each chunk of a download that is written. */
  readonly releaseChunk: (chunk: Uint8Array) => void;
  readonly observe: (observation: HttpObservation) => void;
  /** Converts a thrown value to an error of the catalogue. */
  readonly failureOf: (thrown: unknown) => Failure;
};
