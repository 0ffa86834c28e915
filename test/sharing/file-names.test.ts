import { parse as parseDisposition } from 'content-disposition';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDownloadHead } from '../../src/base/http/download.ts';
import { checkName } from '../../src/sharing/documents/upload.ts';
import { openStreamTransports, postForm } from '../support/document-streams.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import { blobDirOf, filesUnder, keyOf, upload } from '../support/sharing-api.ts';
import { type TransportAnswer, transportNames } from '../support/transports.ts';
import { useStarted, useTransports } from '../support/use-started.ts';

const file = Buffer.from('some bytes');

const fileNames: [sent: string, name: string][] = [
  ['../../etc/passwd', 'passwd'],
  ['C:\\x\\y.pdf', 'y.pdf'],
  ['/', 'document'],
  ['..', 'document'],
  ['   ', 'document'],
  ['\u200b\u3164\u2800', 'document'],
  ['\u202egnp.exe', 'gnp.exe'],
  ['a\u0007b\u2028c', 'abc'],
  ["it's; filename=other.pdf", "it's; filename=other.pdf"],
  ['Отчёт – 2024 📄.pdf', 'Отчёт – 2024 📄.pdf'],
  ['x'.repeat(300), 'x'.repeat(255)],
  ['😀'.repeat(300), '😀'.repeat(255)],
  [`${'😀/'.repeat(500)}x`, 'x'],
];

describe('the Content-Disposition header of a download', () => {
  const facts = {
    contentType: 'application/pdf',
    sizeBytes: 1,
    etag: '"tag"',
    offsetBytes: 0,
    lengthBytes: 1,
    partial: false,
    notModified: false,
    generated: false,
  };
  const names = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((name) => isTaken(name) && !/[/\\]|^\.{1,2}$/.test(name));

  itHoldsFor(['attachment', 'inline'] as const)(
    'returns every other accepted name unchanged, without additions (RFC 6266, RFC 8187)',
    (type) => {
      fc.assert(
        fc.property(names, (name) => {
          const { headers } = createDownloadHead({ ...facts, name }, type);
          const header = headers['content-disposition'] ?? '';
          expect(header).toMatch(/^[\x20-\x7e\xa0-\xff]+$/);
          expect(parseDisposition(header)).toMatchObject({ type, parameters: { filename: name } });
        }),
        { numRuns: 2000 },
      );
    },
  );

  itHoldsFor([
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['..\\..\\evil.exe', '.._.._evil.exe'],
    ['/etc/passwd', '_etc_passwd'],
    ['Q1/Q2 – 2026.pdf', 'Q1_Q2 – 2026.pdf'],
    ['..', '_'],
    ['.', '_'],
    ['.profile', '.profile'],
  ])('has no path, whatever the name is', (name, filename) => {
    const { headers } = createDownloadHead({ ...facts, name }, 'attachment');
    const header = headers['content-disposition'] ?? '';
    expect(parseDisposition(header).parameters.filename).toBe(filename);
    // Nor has the form for other programs.
    expect(header).not.toMatch(/[/\\]/);
  });
});

function isTaken(name: string): boolean {
  try {
    checkName(name);
    return true;
  } catch {
    return false;
  }
}

describe('a file name', () => {
  const test = useStarted(() => startTestApp());
  const transports = useTransports(() => openStreamTransports(test.app));

  async function expectName(answer: TransportAnswer<{ id: string; name: string }>, name: string) {
    expect(answer).toMatchObject({ ok: true, message: { name } });
    const route = `/api/v1/documents/${answer.ok ? answer.message.id : ''}/file`;
    const response = await fetch(test.app.publicUrl + route, { headers: keyOf(test) });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename/);
    await response.arrayBuffer();
  }

  itHoldsFor(product(transportNames, fileNames), 9)(
    'is sanitized over each transport',
    async (transportName, sent, name) => {
      const transport = transports.find((one) => one.name === transportName);
      const answer = await transport?.upload([{ fileName: sent, file }], keyOf(test));
      if (answer === undefined) throw new Error(`unknown transport ${transportName}`);
      await expectName(answer, name);
    },
  );

  itHoldsFor(['grpc', 'connect'] as const)(
    'with a line break is sanitized over other transports',
    async (name) => {
      const transport = transports.find((one) => one.name === name);
      const pieces = [{ fileName: 'a\r\nX-Evil: 1\r\n\r\nb.pdf', file }];
      const answer = await transport?.upload(pieces, keyOf(test));
      if (answer === undefined) throw new Error(`unknown transport ${name}`);
      await expectName(answer, 'aX-Evil: 1b.pdf');
    },
  );

  it('never becomes a path: the service generates every blob name', async () => {
    for (const path of await filesUnder(blobDirOf(test))) {
      expect(path).toMatch(/^([0-9A-Za-z]{2})\/\1[0-9A-Za-z]{20}$/);
    }
  });

  const dispositions: [disposition: string | Buffer, name: string][] = [
    ['filename="a\\"b.pdf"', 'a"b.pdf'],
    ["filename*=UTF-8''%e2%82%ac.pdf", '€.pdf'],
    ['filename=bare.pdf', 'bare.pdf'],
    ['filename=""', 'document'],
    ['FileName="upper.pdf"', 'upper.pdf'],
    [Buffer.from('filename="\xff\xfe.pdf"', 'latin1'), '\ufffd\ufffd.pdf'],
  ];
  itHoldsFor(dispositions, 6)(
    'is decoded from each form of the parameter',
    async (parameter, name) => {
      const form = Buffer.concat([
        Buffer.from('--frontier\r\nContent-Disposition: form-data; name="file"; '),
        Buffer.from(parameter),
        Buffer.from('\r\n\r\nbytes\r\n--frontier--\r\n'),
      ]);

      const response = await postForm(test.app, form, keyOf(test));

      expect(response.status).toBe(201);
      expect(await response.json()).toMatchObject({ name });
    },
  );

  itHoldsFor([
    'filename="a\r\nb.pdf"',
    'filename="a\rb.pdf"',
    'filename="a\u0000b.pdf"',
    'filename="unclosed',
    "filename*=UTF-8''%zz%",
    "filename*=klingon''a.pdf",
    'filename=',
  ])('does no harm if it is malformed', async (parameter) => {
    const form = Buffer.from(
      `--frontier\r\nContent-Disposition: form-data; name="file"; ${parameter}\r\n\r\nbytes` +
        '\r\n--frontier--\r\n',
    );

    const response = await postForm(test.app, form, keyOf(test));

    expect([201, 400]).toContain(response.status);
    await response.text();
    expect(await upload(test, file, 'next.pdf')).toMatchObject({ name: 'next.pdf' });
  });
});
