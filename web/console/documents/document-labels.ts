/** Facts of documents in words. */

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size in the reader's manner, such as `1.4 MB`; a limit is not to seem more than it is. */
export function formatSize(
  bytes: number,
  roundingMode: 'halfExpand' | 'floor' | 'ceil' = 'halfExpand',
): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
    roundingMode,
  }).format(bytes / 1000 ** power);
}

const office = 'application/vnd.openxmlformats-officedocument';

const types: Record<string, string> = {
  'application/pdf': 'PDF',
  'application/zip': 'ZIP archive',
  'application/octet-stream': 'Other file',
  'application/rtf': 'Rich text',
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
  'image/webp': 'WebP image',
};

const kinds: Record<string, string> = {
  audio: 'Audio',
  font: 'Font',
  image: 'Image',
  text: 'Text',
  video: 'Video',
};

/** What a media type is to people; the type itself where there is no word for it. */
export function contentTypeText(contentType: string): string {
  const [kind = ''] = contentType.split('/');
  return types[contentType] ?? kinds[kind] ?? contentType;
}

/** Pages are counted of a PDF only, and not of every one. */
export function pageCountText(pageCount: number): string {
  return pageCount === 0 ? '–' : String(pageCount);
}
