import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { makeWav } from '../support/media-files.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, makeLink, makePng, upload } from '../support/sharing-api.ts';
import { useStarted } from '../support/use-started.ts';

const pdf = makePdf({ pages: 1, text: 'The terms' });

describe('a shared document', () => {
  const test = useStarted(() => startTestApp());

  async function share(bytes: Buffer, filename: string) {
    const document = await upload(test, bytes, filename);
    const link = await makeLink(test, document.id, { allow_download: true });
    const page = await fetch(link.url);
    const cookie = page.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const open = (route: string, { headers, method = 'GET' }: RequestInit = {}) =>
      fetch(link.url + route, { method, headers: { cookie, ...headers } });
    return { document, page, open };
  }

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const active: [filename: string, bytes: string][] = [
    ['page.html', '<!doctype html><script>alert(1)</script>'],
    ['page.pdf', '<html><script>alert(1)</script></html>'],
    ['image.svg', svg],
    ['image.svg', `<?xml version="1.0"?>${svg}`],
    ['feed.xml', '<?xml version="1.0"?><a/>'],
    ['script.js', 'alert(1)'],
    ['image.png', 'no image'],
  ];
  // sniffed-types.test.ts has the headers of their bytes.
  itHoldsFor(active, 7)('that can run code is not in its page', async (filename, bytes) => {
    const { page } = await share(Buffer.from(bytes), filename);
    const text = await page.text();
    const ours = /^<script type="module" src="\/assets\/viewer-[\w-]+\.js">$/;
    expect(text.match(/<script[^>]*>/g)).toEqual([expect.stringMatching(ours)]);
    expect(text).not.toContain(bytes);
  });

  itHoldsFor([
    ['a PDF', pdf, 'application/pdf'],
    ['an image', makePng(2, 2), 'image/png'],
  ])('that is a PDF or an image is shown inline, and not cached', async (_, bytes, type) => {
    const { open } = await share(bytes, 'shown');

    const file = await open('/file');

    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': expect.stringMatching(/^inline; /),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(bytes.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  });

  it('that is a recording is sent in the parts that a player requests', async () => {
    const wav = makeWav(2);
    const { document, open } = await share(wav, 'tone.wav');
    const head = await open('/file', { method: 'HEAD' });
    const etag = head.headers.get('etag') ?? '';
    // A reader could find a short text from its digest, without a view.
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const digest = Buffer.from(document.sha256, 'hex');
    expect([digest.toString('hex'), digest.toString('base64url')]).not.toContain(etag.slice(1, -1));
    const part = await open('/file', { headers: { range: 'bytes=100-', 'if-range': etag } });
    const stale = await open('/file', { headers: { range: 'bytes=100-', 'if-range': '"old"' } });
    const known = await open('/file', { headers: { 'if-none-match': etag } });
    const beyond = await open('/file', { headers: { range: `bytes=${wav.length}-` } });

    expect([head, part, stale, known, beyond].map(({ status }) => status)).toEqual([
      200, 206, 200, 304, 416,
    ]);
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(wav.length),
      'accept-ranges': 'bytes',
      etag,
    });
    expect(part.headers.get('content-type')).toBe('audio/wav');
    expect(part.headers.get('content-range')).toBe(`bytes 100-${wav.length - 1}/${wav.length}`);
    expect(wav.subarray(100).equals(Buffer.from(await part.arrayBuffer()))).toBe(true);
    await Promise.all([stale, known, beyond].map((response) => response.arrayBuffer()));
  });

  it('cannot be framed, indexed, cached or scripted', async () => {
    const { page } = await share(pdf, 'terms.pdf');
    const gone = await fetch(`${test.app.publicUrl}/s/${'A'.repeat(22)}`);
    for (const one of [page, gone]) {
      expect(Object.fromEntries(one.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
      });
      const policy = one.headers.get('content-security-policy')?.split('; ') ?? [];
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy.join()).not.toMatch(/unsafe|\*|https?:|data:/);
      expect(await one.text()).not.toMatch(/<script>|\son\w+=|\sstyle=/);
    }
  });

  it('has its name escaped if that contains markup', async () => {
    const name = '"><img src=x onerror=alert(1)>&amp;\'.pdf';
    const document = await upload(test, pdf, 'terms.pdf');
    await callSharingApi(test, 'PATCH', `/documents/${document.id}`, { name });
    const link = await makeLink(test, document.id, { allow_download: true });

    const html = await (await fetch(link.url)).text();

    expect(html).not.toContain('<img');
    expect(html).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;&#39;.pdf');
  });
});
