// What a browser may show in place. Everything else is a download of opaque bytes.

export const pictureTypes: ReadonlySet<string> = new Set([
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

export const inlineTypes: ReadonlySet<string> = new Set(['application/pdf', ...pictureTypes]);
