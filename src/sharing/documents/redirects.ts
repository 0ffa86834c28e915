// Redirects of API downloads to a URL of the S3 store. See docs/decisions/0013.
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf, isUser } from '../../api/principal.ts';
import type { RangeRequest } from '../../base/http/byte-range.ts';
import { createDownloadHead } from '../../base/http/download.ts';
import type { DocumentRow } from '../../storage/schema/schema.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { OpenDocument } from './documents.ts';

export type RedirectsOptions = {
  readonly blobs: Pick<BlobStore, 'presign'>;
  /** How long a URL is valid. 0: no download is redirected. */
  readonly seconds: number;
};

export type RedirectDownload = (
  document: DocumentRow,
  header: OpenDocument['header'],
  request: RangeRequest,
  context: HandlerContext,
) => Promise<string | undefined>;

export function createRedirects({ blobs, seconds }: RedirectsOptions): RedirectDownload {
  return async (document, header, request, context) => {
    if (seconds === 0 || header.notModified || !canFollow(request, context)) return undefined;
    const { headers } = createDownloadHead({ ...header, partial: false }, 'attachment');
    return blobs.presign?.(document.blob_id, seconds, {
      contentType: headers['content-type'] ?? '',
      contentDisposition: headers['content-disposition'] ?? '',
    });
  };
}

function canFollow({ ifMatch = '', ifRange }: RangeRequest, context: HandlerContext): boolean {
  // gRPC and Connect have no redirects. The signature of the URL is valid for GET only.
  if (context.protocolName !== 'http' || context.requestMethod !== 'GET') return false;
  // The store has other entity tags.
  if (ifMatch !== '' || ifRange !== '') return false;
  // Browsers refuse to read from a store without CORS. Those of signed-in users do not always send
  // the header, for example over plain HTTP.
  const { call, principal } = callerOf(context);
  return !isUser(principal) && call.header('sec-fetch-site') === undefined;
}
