// Office files that try to harm the service: by their size, by macros, and by links to servers and
// to other files.
import { linkedPictures } from './linked-pictures.ts';
import { contentXml, flatFile } from './office-files.ts';
import {
  declaration,
  docx,
  longDocx,
  office,
  openDocument,
  paragraph,
  relation,
  relationsOf,
  word,
  wordDocument,
} from './office-packages.ts';
import type { ZipEntry } from './zip-files.ts';

/** The targets that no file may reach. */
export type HostileTargets = {
  /** A server on this machine. */
  readonly url: string;
  /** A text file outside of the conversion. */
  readonly file: string;
  /** A picture outside of the conversion. */
  readonly picture: string;
};

/** The states that are fine. `download`: the file does not look like an Office file. */
type Outcome = 'PREVIEW_READY' | 'PREVIEW_FAILED' | 'download';

export type HostileFile = {
  readonly name: string;
  readonly fileName: string;
  readonly bytes: () => Buffer;
  readonly outcomes: readonly Outcome[];
  readonly error?: RegExp;
  /** Whether LibreOffice draws a picture in place of content that it does not load. */
  readonly hasPlaceholder?: true;
};

/** A picture of Word that is not in the file. */
function linkedPicture(target: string): Buffer {
  const body = `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="900000"/>
<wp:docPr id="1" name="P"/><a:graphic><a:graphicData
uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr
id="1" name="P"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="rId9"/><a:stretch>
<a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000"
cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>
</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
  const rels = relationsOf(relation('rId9', `${office}/image`, target, 'External'));
  return docx(wordDocument(body), { name: 'word/_rels/document.xml.rels', content: rels });
}

const field = (code: string) =>
  `<w:p><w:r><w:fldChar w:fldCharType="begin" w:dirty="true"/></w:r><w:r><w:instrText>${code}</w:instrText></w:r>
<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>old</w:t></w:r><w:r><w:fldChar
w:fldCharType="end"/></w:r></w:p>`;

const picture = (href: string) =>
  `<text:p><draw:frame svg:width="2cm" svg:height="2cm"><draw:image xlink:type="simple"
xlink:href="${href}" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>`;

const section = (href: string) =>
  `<text:section text:name="S"><text:section-source xlink:type="simple" xlink:show="embed"
xlink:href="${href}"/><text:p>old</text:p></text:section>`;

const floatingFrame = (href: string) =>
  `<text:p><draw:frame svg:width="9cm" svg:height="9cm"><draw:floating-frame xlink:type="simple"
xlink:href="${href}" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>`;

const cell = (formula: string) =>
  `<table:table table:name="T"><table:table-row><table:table-cell table:formula="${formula}"
office:value-type="string" office:string-value=""/></table:table-row></table:table>`;

const linkedTable = (href: string) =>
  `<table:table table:name="T"><table:table-source xlink:type="simple" xlink:href="${href}"
table:filter-name="Text - txt - csv (StarCalc)" table:mode="copy-all" table:refresh-delay="PT1S"/>
<table:table-row><table:table-cell/></table:table-row></table:table>`;

/** Basic that runs when the document is opened. */
const macroListener = `<office:scripts><office:event-listeners><script:event-listener
script:language="ooo:script" script:event-name="dom:load" xlink:type="simple"
xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document"/>
</office:event-listeners></office:scripts>`;

function macroEntries({ url, file }: HostileTargets): ZipEntry[] {
  const code = `Sub Main
Shell("/bin/sh", 0, "-c 'echo macro &gt; ${file}.macro'", True)
Dim s : s = createUnoService("com.sun.star.ucb.SimpleFileAccess")
s.openFileRead("${url}/macro")
End Sub`;
  return [
    {
      name: 'Basic/Standard/M.xml',
      content: `${declaration}<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="M" script:language="StarBasic">${code}</script:module>`,
    },
    {
      name: 'Basic/Standard/script-lb.xml',
      content: `${declaration}<library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="M"/></library:library>`,
    },
    {
      name: 'Basic/script-lc.xml',
      content: `${declaration}<library:libraries xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink"><library:library library:name="Standard" library:link="false"/></library:libraries>`,
    },
  ];
}

/** A compound file whose folder has the streams of an encrypted docx ([MS-OFFCRYPTO] 2.3.2). */
function encryptedDocx(): Buffer {
  const header = Buffer.alloc(512);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(9, 0x1e);
  header.writeUInt32LE(0, 0x30);
  const folder = Buffer.alloc(512);
  ['Root Entry', 'EncryptionInfo', 'EncryptedPackage'].forEach((name, at) => {
    folder.write(name, at * 128, 'utf16le');
    folder.writeUInt16LE(2 * name.length + 2, at * 128 + 0x40);
  });
  return Buffer.concat([header, folder, Buffer.alloc(4096)]);
}

const mebibyte = 1024 * 1024;

/** 1,500 MiB of text in 1.5 MiB. */
const bomb = () =>
  docx(
    Buffer.concat([
      Buffer.from(`${declaration}<w:document xmlns:w="${word}"><w:body><w:p><w:r><w:t>`),
      Buffer.alloc(1_500 * mebibyte, 'a'),
      Buffer.from('</w:t></w:r></w:p></w:body></w:document>'),
    ]),
  );

const entities = ({ url, file }: HostileTargets) =>
  `<!DOCTYPE w [<!ENTITY local SYSTEM "file://${file}"><!ENTITY remote SYSTEM "${url}/entity">]>`;

const laughs = `<!DOCTYPE w [<!ENTITY a0 "ha">${Array.from(
  { length: 12 },
  (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`,
).join('')}]>`;

const harmless = ['PREVIEW_READY', 'PREVIEW_FAILED'] as const;

export function hostileOfficeFiles(targets: HostileTargets): HostileFile[] {
  const { url, file } = targets;
  const text = (name: string, body: string, before?: string): HostileFile => ({
    name,
    fileName: 'file.odt',
    bytes: () => openDocument('text', contentXml('text', body, before)),
    outcomes: harmless,
  });
  const sheet = (name: string, body: string): HostileFile => ({
    name,
    fileName: 'file.ods',
    bytes: () => openDocument('spreadsheet', contentXml('spreadsheet', body)),
    outcomes: harmless,
  });
  const wordFile = (name: string, bytes: () => Buffer, outcomes = harmless): HostileFile => ({
    ...{ name, fileName: 'file.docx', bytes, outcomes },
  });
  return [
    { ...wordFile('a zip bomb', bomb), outcomes: ['PREVIEW_FAILED'] },
    {
      ...wordFile('10,000 pages', () => longDocx(10_000)),
      outcomes: ['PREVIEW_FAILED'],
      // On a busy machine, the time ends first.
      error: /2,000 pages|120 seconds/,
    },
    wordFile('a picture of a server', () => linkedPicture(`${url}/picture.png`)),
    wordFile('a picture of a file', () => linkedPicture(`file://${targets.picture}`)),
    wordFile('a field that includes a file', () =>
      docx(wordDocument(field(`INCLUDETEXT "file://${file}"`))),
    ),
    wordFile('a field that includes a server', () =>
      docx(wordDocument(field(`INCLUDETEXT "${url}/field"`))),
    ),
    wordFile('a template of a server', () =>
      docx(
        wordDocument(paragraph('Text')),
        {
          name: 'word/_rels/settings.xml.rels',
          content: relationsOf(
            relation('rId1', `${office}/attachedTemplate`, `${url}/template.dotx`, 'External'),
          ),
        },
        {
          name: 'word/settings.xml',
          content: `${declaration}<w:settings xmlns:w="${word}" xmlns:r="${office}"><w:attachedTemplate r:id="rId1"/></w:settings>`,
        },
        {
          name: 'word/_rels/document.xml.rels',
          content: relationsOf(relation('rId2', `${office}/settings`, 'settings.xml')),
        },
      ),
    ),
    wordFile('external entities', () =>
      docx(wordDocument(paragraph('&local;&remote;'), entities(targets))),
    ),
    wordFile('entities of entities', () => docx(wordDocument(paragraph('&a12;'), laughs))),
    wordFile('names that leave the folder', () =>
      docx(
        wordDocument(paragraph('Text')),
        { name: `${'../'.repeat(12)}${file.slice(1)}.entry`, content: 'escaped' },
        { name: `${file}.entry`, content: 'escaped' },
      ),
    ),
    wordFile('a macro project of Word', () =>
      docx(wordDocument(paragraph('Text')), { name: 'word/vbaProject.bin', content: 'macro' }),
    ),
    text('a picture of a server in OpenDocument', picture(`${url}/picture.png`)),
    text('a section of a server', section(`${url}/section.txt`)),
    text('a section of a file', section(`file://${file}`)),
    ...linkedPictures(targets).map((one) => ({ ...text(one.name, ''), ...one })),
    { ...text('a frame of a server', floatingFrame(`${url}/frame.html`)), hasPlaceholder: true },
    { ...text('a frame of a file', floatingFrame(`file://${file}`)), hasPlaceholder: true },
    {
      ...text('a macro that starts itself', ''),
      bytes: () =>
        openDocument(
          'text',
          contentXml('text', '<text:p>Text</text:p>', macroListener),
          ...macroEntries(targets),
        ),
    },
    sheet(
      'a formula that calls a server',
      cell(`of:=COM.MICROSOFT.WEBSERVICE(&quot;${url}/formula&quot;)`),
    ),
    sheet('a formula of a file', cell(`of:='file://${file}'#$Sheet1.A1`)),
    sheet(
      'a formula of a program',
      cell('of:=DDE(&quot;soffice&quot;;&quot;/etc/passwd&quot;;&quot;a&quot;)'),
    ),
    sheet('a table of a server', linkedTable(`${url}/table.csv`)),
    sheet('a table of a file', linkedTable(`file://${file}`)),
    {
      name: 'a truncated docx',
      fileName: 'file.docx',
      bytes: () => docx(wordDocument(paragraph('Text'.repeat(5_000)))).subarray(0, 900),
      outcomes: ['PREVIEW_FAILED', 'download'],
    },
    {
      name: 'an encrypted docx',
      fileName: 'file.docx',
      bytes: encryptedDocx,
      outcomes: ['download'],
    },
    {
      name: 'a renamed program',
      fileName: 'file.docx',
      bytes: () => Buffer.concat([Buffer.from('MZ'), Buffer.alloc(2_000, 0x90)]),
      outcomes: ['download'],
    },
    {
      name: 'a flat file under another name',
      fileName: 'file.docx',
      bytes: () => Buffer.from(flatFile('text', section(`file://${file}`))),
      outcomes: ['download'],
    },
    {
      name: 'RTF with a picture of a server',
      fileName: 'file.rtf',
      bytes: () =>
        Buffer.from(`{\\rtf1 {\\field{\\*\\fldinst INCLUDEPICTURE "${url}/rtf.png"}{\\fldrslt x}}
{\\field{\\*\\fldinst INCLUDETEXT "file://${file}"}{\\fldrslt x}}}`),
      outcomes: harmless,
    },
    {
      name: 'RTF without an end',
      fileName: 'file.rtf',
      bytes: () => Buffer.from(`{\\rtf1 ${'{\\b '.repeat(5_000)}`),
      outcomes: harmless,
    },
  ];
}
