// The content types that a browser may show inline. All others are downloads of opaque bytes.

export const imageContentTypes: ReadonlySet<string> = new Set([
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

export const inlineContentTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  ...imageContentTypes,
]);
