import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStreamTransports, type StreamTransport } from '../support/document-streams.ts';
import { Visitor } from '../support/gate-visitor.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { endlessPdf, loopingPdfs, lyingPdfs, unreadablePdfs } from '../support/hostile-pdfs.ts';
import { describeFeature } from '../support/matrix.ts';
import { makePdf } from '../support/pdf.ts';
import { startProgram } from '../support/program.ts';
import { multipartBody } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  callSharingApi,
  type DocumentFields,
  keyOf,
  makeLink,
  makePng,
  sha256,
  upload,
} from '../support/sharing-api.ts';

const pdf = makePdf({ pages: 12, text: 'Terms' });

describeFeature("a document's page count", (dialect) => {
  let test: TestApp;
  let transports: StreamTransport[];
  beforeAll(async () => {
    test = await startTestApp({ dialect });
    transports = openStreamTransports(test.app);
  });
  afterAll(async () => {
    for (const transport of transports) transport.close();
    await test.remove();
  });

  it('is returned by the upload and by every read', async () => {
    for (const transport of transports) {
      const answer = await transport.upload([{ file: pdf }], keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: true, message: { pageCount: 12 } });
      const id = answer.ok ? answer.message.id : '';
      const read = await callSharingApi<DocumentFields>(test, 'GET', `/documents/${id}`);
      expect(read.body.page_count, transport.name).toBe(12);
      const renamed = await callSharingApi(test, 'PATCH', `/documents/${id}`, { name: 'Other' });
      expect(renamed.body, transport.name).toMatchObject({ name: 'Other', page_count: 12 });
    }
  });

  it('is 0 for types other than PDF', async () => {
    for (const transport of transports) {
      for (const file of [makePng(2, 2), Buffer.concat([Buffer.from('x'), pdf])]) {
        const answer = await transport.upload([{ file }], keyOf(test));
        expect(answer, transport.name).toMatchObject({ ok: true, message: { pageCount: 0 } });
      }
    }
  });
});

describe('a PDF', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.remove());

  const pdfs = [...unreadablePdfs, ...lyingPdfs, ...loopingPdfs].map(
    ([what, bytes]) => [what, bytes] as const,
  );
  itHoldsFor(pdfs, 15)('a PDF is stored unchanged', async (_, bytes) => {
    const { id, ...document } = await upload(test, bytes);
    expect(document).toMatchObject({ content_type: 'application/pdf', sha256: sha256(bytes) });
    const read = await callSharingApi<DocumentFields>(test, 'GET', `/documents/${id}`);
    expect(read.body).toEqual({ id, ...document });
  });

  it('of 10,000 pages is counted, and insight is about its first 2,000', async () => {
    stopTimeLimits();
    const { id, page_count } = await upload(test, makePdf({ pages: 10_000, text: 'Long' }));
    vi.useRealTimers();
    expect(page_count).toBe(10_000);
    const link = await makeLink(test, id);
    const visitor = new Visitor(link);
    await visitor.get();
    const report = (pages: string) =>
      visitor.get('/view', {
        method: 'POST',
        body: new URLSearchParams({ visit: 'a'.repeat(16), pages }),
      });
    expect((await report('2000:1500,10000:1500')).status).toBe(204);
    expect((await report('10001:1500')).status).toBe(400);
    await test.app.inside.views.flush();
    type Insight = { view_count: number; pages: unknown[] };
    const { body } = await callSharingApi<Insight>(test, 'GET', `/documents/${id}/insight`);
    expect([body.view_count, body.pages.length]).toEqual([1, 2_000]);
  });

  it('that cannot be counted in time is stored, and delays no other upload', async () => {
    // Until the other uploads are stored.
    stopTimeLimits();
    const bytes = endlessPdf();
    let isStored = false;
    const hostile = upload(test, bytes).finally(() => {
      isStored = true;
    });
    for (let i = 0; i < 20; i++) await upload(test, makePng(i + 1, 1));
    expect(isStored).toBe(false);
    await expect
      .poll(() => {
        vi.advanceTimersByTime(1_000);
        return isStored;
      })
      .toBe(true);
    vi.useRealTimers();
    expect(await hostile).toMatchObject({ page_count: 0, sha256: sha256(bytes) });
    expect(await upload(test, pdf)).toMatchObject({ page_count: 12 });
  });
});

/** Stops the time limit of the count. */
function stopTimeLimits(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** The child processes of a process. */
async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number));
}

/** Whether the process still runs; of a zombie only the exit code is left. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^State:\s+[^ZX]/m.test(status);
}

describe('the built program', () => {
  async function start() {
    const program = await startProgram();
    onTestFinished(() => program.remove());
    const post = async (bytes: Buffer) => {
      const form = multipartBody([{ name: 'file', filename: 'a.pdf', body: bytes }], 'frontier');
      const response = await fetch(`${program.env.LATCHKEY_SHARING_BASE_URL}/documents`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${program.env.API_KEY}`,
          'content-type': 'multipart/form-data; boundary=frontier',
        },
        body: new Uint8Array(form),
      });
      return (await response.json()) as DocumentFields;
    };
    return { program, pid: program.child.pid ?? 0, post };
  }

  it('counts pages in a process without its secrets', async () => {
    const { pid, post } = await start();
    expect(await childrenOf(pid)).toEqual([]);

    expect(await post(pdf)).toMatchObject({ page_count: 12 });

    const [counting = 0, ...others] = await childrenOf(pid);
    expect(others).toEqual([]);
    const environment = await readFile(`/proc/${counting}/environ`, 'utf8');
    expect(environment).not.toMatch(/LATCHKEY|PATH/);
    expect(await post(pdf)).toMatchObject({ page_count: 12 });
    expect(await childrenOf(pid)).toEqual([counting]);
  });

  it('stops that process when it stops', async () => {
    const { program, pid, post } = await start();
    await post(pdf);
    const [counting = 0] = await childrenOf(pid);
    expect(await isAlive(counting)).toBe(true);

    program.child.kill('SIGTERM');

    expect(await program.ended).toBe(0);
    await expect.poll(() => isAlive(counting)).toBe(false);
  });

  it('stops that process when it is killed, even if the process is busy', async () => {
    const { program, pid, post } = await start();
    await post(pdf);
    const [counting = 0] = await childrenOf(pid);
    const cut = post(endlessPdf()).catch(() => 'cut');
    const used = async () => {
      const stat = await readFile(`/proc/${counting}/stat`, 'utf8');
      return Number(stat.split(' ')[13]);
    };
    const before = await used();
    // Half a second of CPU time, in hundredths.
    await expect.poll(used).toBeGreaterThan(before + 50);

    await program.kill();

    expect(await cut).toBe('cut');
    await expect.poll(() => isAlive(counting)).toBe(false);
  });
});
