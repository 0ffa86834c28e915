import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteFile } from '../../src/storage/drivers/sqlite-library.ts';
import { sampleName, startProgram } from '../support/program.ts';

async function started(env: Record<string, string> = {}) {
  const program = await startProgram(env);
  onTestFinished(() => program.remove());
  return program;
}

describe('the sample data of a demo', () => {
  type Sample = { id: string; sha256: string; page_count: number; size_bytes: number };

  test('is a document with a link and views, like after real uploads and visits', async () => {
    const { env, dataDir } = await started();
    const original = await readFile(path.resolve(import.meta.dirname, '../../docs/sample.pdf'));
    const headers = { authorization: `Bearer ${env.API_KEY}` };
    async function get<T>(url: string): Promise<T> {
      const response = await fetch(`${env.LATCHKEY_SHARING_BASE_URL}${url}`, { headers });
      return (await response.json()) as T;
    }

    const { documents } = await get<{ documents: [Sample] }>('/documents');
    expect(documents).toMatchObject([{ name: sampleName, content_type: 'application/pdf' }]);
    const [{ id, ...stored }] = documents;
    const file = `${env.LATCHKEY_SHARING_BASE_URL}/documents/${id}/file`;
    const content = await (await fetch(file, { headers })).arrayBuffer();
    expect(Buffer.from(content).equals(original)).toBe(true);

    const { links } = await get<{ links: [{ id: string; url: string }] }>('/links');
    expect(links).toMatchObject([{ document_id: id, name: 'Sample link' }]);
    expect((await fetch(links[0].url)).status).toBe(200);
    const { views } = await get<{
      views: { duration_ms: number; pages: { duration_ms: number }[] }[];
    }>(`/links/${links[0].id}/views`);
    expect(views).toHaveLength(3);
    for (const { duration_ms, pages } of views) {
      expect(pages.reduce((sum, page) => sum + page.duration_ms, 0)).toBe(duration_ms);
    }

    const form = new FormData();
    form.set('file', new Blob([original]), sampleName);
    const upload = { method: 'POST', headers, body: form };
    const response = await fetch(`${env.LATCHKEY_SHARING_BASE_URL}/documents`, upload);
    const document = (await response.json()) as Sample;
    const { sha256, page_count, size_bytes } = stored;
    expect(document).toMatchObject({ sha256, page_count, size_bytes });

    const database = openSqliteFile(path.join(dataDir, 'latchkey.db'), { readonly: true });
    onTestFinished(() => void database.close());
    expect(database.prepare('select * from pending_blobs').all()).toEqual([]);
    const usage = database.prepare('select bytes, documents, links, views from workspace_usage');
    expect(usage.all()).toEqual([{ bytes: 2 * size_bytes, documents: 2, links: 1, views: 3 }]);
  });

  test('is not created with `owner`', async () => {
    const { dataDir } = await started({ LATCHKEY_BOOTSTRAP: 'owner' });
    const database = openSqliteFile(path.join(dataDir, 'latchkey.db'), { readonly: true });
    onTestFinished(() => void database.close());
    expect(database.prepare('select count(*) as rows from documents').get()).toEqual({ rows: 0 });
  });
});
