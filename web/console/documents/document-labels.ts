/** Texts for the properties of documents. */

const office = 'application/vnd.openxmlformats-officedocument';

const types: Record<string, string> = {
  'application/pdf': 'PDF',
  'application/zip': 'ZIP archive',
  'application/json': 'JSON',
  'application/octet-stream': 'Other',
  'application/rtf': 'Rich text',
  'application/xml': 'XML',
  'application/epub+zip': 'E-book',
  'application/vnd.oasis.opendocument.text': 'OpenDocument text',
  'application/vnd.oasis.opendocument.spreadsheet': 'OpenDocument spreadsheet',
  'application/vnd.oasis.opendocument.presentation': 'OpenDocument presentation',
  [`${office}.wordprocessingml.document`]: 'Word document',
  [`${office}.spreadsheetml.sheet`]: 'Excel workbook',
  [`${office}.presentationml.presentation`]: 'PowerPoint presentation',
  'image/avif': 'AVIF image',
  'image/gif': 'GIF image',
  'image/jpeg': 'JPEG image',
  'image/png': 'PNG image',
  'image/svg+xml': 'SVG image',
  'image/webp': 'WebP image',
  'text/csv': 'CSV table',
  'text/markdown': 'Markdown',
  'text/tab-separated-values': 'TSV table',
};

const kinds: Record<string, string> = {
  audio: 'Audio',
  font: 'Font',
  image: 'Image',
  text: 'Text',
  video: 'Video',
};

/** The name of a media type, or the type itself. */
export function contentTypeText(contentType: string): string {
  const [kind = ''] = contentType.split('/');
  return types[contentType] ?? kinds[kind] ?? contentType;
}

/** 0: not a PDF, or its pages could not be counted. */
export function pageCountText(pageCount: number): string {
  return pageCount === 0 ? '—' : String(pageCount);
}

/** The API counts up to this number. */
const linksMax = 1000;

export function linkCountText(linkCount: number): string {
  return `${linkCount.toLocaleString()}${linkCount >= linksMax ? '+' : ''}`;
}
