import mime from 'mime';

/** Types that file-type reports and the database of mime does not know, or knows incompletely. */
const moreExtensions: Readonly<Record<string, readonly string[]>> = {
  'application/json': ['geojson'],
  'application/x-cfb': ['doc', 'dot', 'msg', 'ppt', 'xls'],
  'application/x-sqlite3': ['db', 'sqlite'],
  'audio/aiff': ['aif', 'aiff'],
  'audio/flac': ['flac'],
  'image/apng': ['png'],
  'text/vcard': ['vcf'],
  'video/matroska': ['mkv'],
  'video/vnd.avi': ['avi'],
};

/**
 * Returns an extension of the content type, with its dot: the one of the name, if the type has it.
 * Returns an empty string if none is known. The end of a name, such as in "With John.Smith", is
 * not always an extension.
 */
export function extensionOf(name: string, contentType: string): string {
  const named = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const more = moreExtensions[contentType] ?? [];
  const isKnown = mime.getAllExtensions(contentType)?.has(named) || more.includes(named);
  if (isKnown) return `.${named}`;
  if (contentType === 'application/octet-stream') return '';
  const usual = mime.getExtension(contentType);
  return usual === null ? '' : `.${usual}`;
}
