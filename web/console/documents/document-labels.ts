/** Texts for the properties of documents. */
import { Preview } from '../../../gen/latchkey/sharing/v1/document_pb.js';

const office = 'application/vnd.openxmlformats-officedocument';

const types: Record<string, string> = {
  'application/pdf': 'PDF',
  'application/zip': 'ZIP archive',
  'application/json': 'JSON',
  'application/msword': 'Word document',
  'application/octet-stream': 'Other',
  'application/rtf': 'Rich text',
  'application/xml': 'XML',
  'application/epub+zip': 'E-book',
  'application/vnd.ms-excel': 'Excel workbook',
  'application/vnd.ms-powerpoint': 'PowerPoint presentation',
  'application/vnd.oasis.opendocument.text': 'OpenDocument text',
  'application/vnd.oasis.opendocument.spreadsheet': 'OpenDocument spreadsheet',
  'application/vnd.oasis.opendocument.presentation': 'OpenDocument presentation',
  [`${office}.wordprocessingml.document`]: 'Word document',
  [`${office}.spreadsheetml.sheet`]: 'Excel workbook',
  [`${office}.presentationml.presentation`]: 'PowerPoint presentation',
  [`${office}.presentationml.slideshow`]: 'PowerPoint slide show',
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

/** 0: not a PDF, without a preview, or its pages could not be counted. */
export function pageCountText(pageCount: number): string {
  return pageCount === 0 ? '—' : String(pageCount);
}

const previews: Record<Preview, string> = {
  [Preview.UNSPECIFIED]: '—',
  [Preview.PENDING]: 'Being prepared',
  [Preview.READY]: 'Ready',
  [Preview.FAILED]: 'Failed',
};

/** The state of the preview of an Office file. */
export const previewText = (preview: Preview) => previews[preview] ?? '—';

/** The API counts up to this number. */
const linksMax = 1000;

export function linkCountText(linkCount: number): string {
  return `${linkCount.toLocaleString()}${linkCount >= linksMax ? '+' : ''}`;
}
