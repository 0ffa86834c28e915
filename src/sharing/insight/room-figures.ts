// Computes the figures of a room: who read which of its documents.
import type { ViewWithPages } from '../views/views.ts';
import { averageOf, sumViews, visitorOf } from './figures.ts';

const documentsMax = 1_000;

type Sums = {
  name: string;
  views: number;
  durationMs: number;
  downloads: number;
  readonly visitors: Set<string>;
};

export async function computeRoomFigures(slices: AsyncIterable<readonly ViewWithPages[]>) {
  const documents = new Map<string, Sums>();
  const figures = await sumViews(slices, ({ view, documentName }) => {
    const id = view.document_id ?? '';
    const known = documents.get(id) ?? newSums(documentName);
    known.views += 1;
    known.durationMs += view.duration_ms;
    known.downloads += view.download_count;
    known.visitors.add(visitorOf(view));
    documents.set(id, known);
  });
  return {
    ...figures,
    documents: [...documents]
      .map(([documentId, known]) => ({
        documentId,
        documentName: known.name,
        viewCount: known.views,
        visitorCount: known.visitors.size,
        averageDurationMs: averageOf(known.durationMs, known.views),
        downloadCount: known.downloads,
      }))
      .sort((a, b) => b.viewCount - a.viewCount || (a.documentId < b.documentId ? -1 : 1))
      .slice(0, documentsMax),
  };
}

const newSums = (name: string): Sums => ({
  ...{ name, views: 0, durationMs: 0, downloads: 0 },
  visitors: new Set(),
});
