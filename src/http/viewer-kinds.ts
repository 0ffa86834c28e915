// How the viewer shows each content type. Links to other documents must allow the download.
import { imageContentTypes } from './inline-content-types.ts';

export type ViewerKind = 'pdf' | 'image';

const viewerKinds: ReadonlyMap<string, ViewerKind> = new Map<string, ViewerKind>([
  ['application/pdf', 'pdf'],
  ...[...imageContentTypes].map((type) => [type, 'image'] as const),
]);

/** Returns undefined if readers can only download the type. */
export const viewerKindOf = (contentType: string) => viewerKinds.get(contentType);
