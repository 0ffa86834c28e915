// The content types that the viewer shows, and the types that browsers receive for their bytes.

export type ViewerKind = 'pdf' | 'image' | 'video' | 'audio' | 'markdown' | 'json' | 'csv' | 'text';

/** Binary types that cannot contain code. Browsers receive them as they are. */
const inertTypes: ReadonlyMap<string, ViewerKind> = new Map<string, ViewerKind>([
  ['application/pdf', 'pdf'],
  ['image/apng', 'image'],
  ['image/avif', 'image'],
  ['image/gif', 'image'],
  ['image/jpeg', 'image'],
  ['image/png', 'image'],
  ['image/webp', 'image'],
  ['video/mp4', 'video'],
  ['video/webm', 'video'],
  ['video/x-m4v', 'video'],
  ['audio/aac', 'audio'],
  ['audio/flac', 'audio'],
  ['audio/mp4', 'audio'],
  ['audio/mpeg', 'audio'],
  ['audio/ogg', 'audio'],
  ['audio/ogg; codecs=opus', 'audio'],
  ['audio/wav', 'audio'],
  ['audio/x-m4a', 'audio'],
]);

/** Browsers receive these as plain text, whatever they contain. */
const textTypes: ReadonlyMap<string, ViewerKind> = new Map<string, ViewerKind>([
  ['application/json', 'json'],
  ['application/xml', 'text'],
  ['text/calendar', 'text'],
  ['text/csv', 'csv'],
  ['text/markdown', 'markdown'],
  ['text/plain', 'text'],
  ['text/tab-separated-values', 'csv'],
  ['text/vcard', 'text'],
  ['text/vtt', 'text'],
]);

/** Images that can contain scripts. They run in a tab, but not in an `<img>`. */
const svgType = 'image/svg+xml';

export function viewerKindOf(contentType: string): ViewerKind | undefined {
  if (contentType === svgType) return 'image';
  return inertTypes.get(contentType) ?? textTypes.get(contentType);
}

export const isInert = (contentType: string) => inertTypes.has(contentType);

export const isRasterImage = (contentType: string) => inertTypes.get(contentType) === 'image';

export type Serving = {
  readonly contentType: string;
  readonly disposition: 'inline' | 'attachment';
  readonly policy?: string;
};

/** How a browser receives the bytes of a document, so that no type runs code in our origin. */
export function servingOf(contentType: string, wanted: 'inline' | 'attachment'): Serving {
  if (isInert(contentType)) return { contentType, disposition: wanted };
  const attachment = {
    contentType: 'application/octet-stream',
    disposition: 'attachment',
  } as const;
  if (wanted === 'attachment') return attachment;
  if (contentType === svgType) {
    // An `<img>` ignores the disposition. Firefox applies the policy to the styles of the image.
    return { ...attachment, contentType, policy: "style-src 'unsafe-inline'" };
  }
  if (!textTypes.has(contentType)) return attachment;
  return { contentType: 'text/plain; charset=utf-8', disposition: 'inline' };
}
