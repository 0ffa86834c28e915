// Office files that LibreOffice itself makes from flat OpenDocument files.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const namespaces = ['office', 'text', 'table', 'presentation', 'style']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat('xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"')
  .concat('xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"')
  .concat('xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"')
  .concat('xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"')
  .concat('xmlns:xlink="http://www.w3.org/1999/xlink"')
  .concat('xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0"')
  .join(' ');

const pageBreak = `<office:automatic-styles><style:style style:name="P" style:family="paragraph">
<style:paragraph-properties fo:break-before="page"/></style:style></office:automatic-styles>`;

/** A flat OpenDocument file. `before` stands before the body. */
export const flatFile = (kind: string, body: string, before = pageBreak) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${namespaces} office:version="1.2"
office:mimetype="application/vnd.oasis.opendocument.${kind}">${before}<office:body>
<office:${kind}>${body}</office:${kind}></office:body></office:document>`;

/** The parts of an OpenDocument package: `content.xml`. */
export const contentXml = (kind: string, body: string, before = pageBreak) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<office:document-content ${namespaces} office:version="1.2">${before}<office:body>
<office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;

const texts = (pages: number) =>
  Array.from(
    { length: pages },
    (_, page) =>
      `<text:p${page === 0 ? '' : ' text:style-name="P"'}>Page ${page + 1} of the report</text:p>`,
  ).join('');

const slides = (count: number) =>
  Array.from(
    { length: count },
    (
      _,
      slide,
    ) => `<draw:page draw:name="Slide ${slide + 1}" draw:master-page-name="M"><draw:frame svg:width="20cm"
svg:height="4cm" svg:x="2cm" svg:y="2cm"><draw:text-box><text:p>Slide ${slide + 1}</text:p>
</draw:text-box></draw:frame></draw:page>`,
  ).join('');

const cells = `<table:table table:name="Budget"><table:table-row><table:table-cell
office:value-type="string"><text:p>Income</text:p></table:table-cell><table:table-cell
office:value-type="float" office:value="42"><text:p>42</text:p></table:table-cell>
</table:table-row></table:table>`;

const slideStyles = `<office:automatic-styles><style:page-layout style:name="L">
<style:page-layout-properties fo:page-width="28cm" fo:page-height="15.75cm"/></style:page-layout>
</office:automatic-styles><office:master-styles><style:master-page style:name="M"
style:page-layout-name="L"/></office:master-styles>`;

/** The pages of each file as PDF. */
export const officePages = { docx: 3, odt: 3, rtf: 3, doc: 3, pptx: 4, odp: 4, ppt: 4 } as const;

const sources = {
  fodt: { text: flatFile('text', texts(3)), to: ['docx', 'odt', 'rtf', 'doc'] },
  fods: { text: flatFile('spreadsheet', cells), to: ['xlsx', 'ods', 'xls'] },
  fodp: { text: flatFile('presentation', slides(4), slideStyles), to: ['pptx', 'odp', 'ppt'] },
};

/** Returns a file of each type, by its extension. */
export async function makeOfficeFiles(): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const [extension, { text, to }] of Object.entries(sources)) {
    for (const [type, bytes] of await convert(text, extension, to)) files.set(type, bytes);
  }
  return files;
}

/** Returns a PowerPoint presentation. */
export async function makePresentation(slideCount: number): Promise<Buffer> {
  const text = flatFile('presentation', slides(slideCount), slideStyles);
  const [[, bytes] = ['', Buffer.alloc(0)]] = await convert(text, 'fodp', ['pptx']);
  return bytes;
}

async function convert(
  text: string,
  extension: string,
  to: readonly string[],
): Promise<[type: string, bytes: Buffer][]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-files-'));
  try {
    const source = path.join(folder, `file.${extension}`);
    await writeFile(source, text);
    const files: [string, Buffer][] = [];
    for (const type of to) {
      await runOffice(folder, ['--convert-to', type, '--outdir', folder, source]);
      files.push([type, await readFile(path.join(folder, `file.${type}`))]);
    }
    return files;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runOffice(folder: string, args: readonly string[]): Promise<void> {
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  await run('soffice', [profile, '--headless', ...args]).catch((error: unknown) => {
    const packages = 'libreoffice-writer libreoffice-calc libreoffice-impress';
    throw new Error(`LibreOffice is missing: apt-get install ${packages}`, { cause: error });
  });
}
