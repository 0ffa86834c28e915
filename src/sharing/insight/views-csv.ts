// Writes views as CSV (RFC 4180). Readers choose their email address: a value that a spreadsheet
// could take for a formula gets an apostrophe.
import { csvText, timeText } from '../../base/csv.ts';
import type { ViewWithPages } from '../views/views.ts';
import { isRead } from './figures.ts';

const columns = [
  ...['view_id', 'link_id', 'link_name', 'create_time', 'email', 'email_verified'],
  ...['duration_ms', 'pages_viewed', 'completion', 'download_count', 'last_download_time'],
  ...['page_durations_ms', 'visit_count', 'version'],
  ...['document_id', 'document_name', 'acting_client_id', 'acting_client_name'],
];

export const csvHeader = () => csvText([columns]);

/** `pageCountOf` returns the number of pages of a version; 0 if unknown. */
export function csvLines(
  views: readonly ViewWithPages[],
  pageCountOf: (version: number) => number,
): Uint8Array {
  return csvText(
    views.map(({ view, linkName, documentName, visitCount, pages }) => {
      const readCount = pages.filter(isRead).length;
      const version = view.version ?? 0;
      const pageCount = pageCountOf(version);
      return [
        ...[view.id, view.link_id, linkName, timeText(view.create_time)],
        ...[view.email, view.email_verified === 1 ? 'true' : 'false'],
        ...[view.duration_ms, readCount],
        pageCount === 0 ? '' : Math.min(1, readCount / pageCount).toFixed(3),
        view.download_count,
        view.last_download_time === null ? '' : timeText(view.last_download_time),
        pages.map(({ page, durationMs }) => `${page}:${durationMs}`).join(' '),
        visitCount,
        version,
        ...[view.document_id ?? '', documentName],
        ...[view.acting_client_id, view.acting_client_name],
      ];
    }),
  );
}
