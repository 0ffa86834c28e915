// Builds Office files entry by entry.
import { type ZipEntry, zipOf } from './zip-files.ts';

export const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
export const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
export const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const types = 'http://schemas.openxmlformats.org/package/2006/content-types';
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

const contentTypes = `${declaration}<Types xmlns="${types}">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>
<Override PartName="/word/document.xml" ContentType="${wordType}.document.main+xml"/></Types>`;

export const relation = (id: string, type: string, target: string, mode = 'Internal') =>
  `<Relationship Id="${id}" Type="${type}" Target="${target}" TargetMode="${mode}"/>`;

export const relationsOf = (...all: string[]) =>
  `${declaration}<Relationships xmlns="${relations}">${all.join('')}</Relationships>`;

export const wordDocument = (body: string, prolog = '') =>
  `${declaration}${prolog}<w:document xmlns:w="${word}" xmlns:r="${office}"
xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>${body}</w:body></w:document>`;

export const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

export function docx(document: Buffer | string, ...more: ZipEntry[]): Buffer {
  return zipOf([
    { name: '[Content_Types].xml', content: contentTypes },
    {
      name: '_rels/.rels',
      content: relationsOf(relation('rId1', `${office}/officeDocument`, 'word/document.xml')),
    },
    { name: 'word/document.xml', content: document },
    ...more,
  ]);
}

/** An OpenDocument package. */
export function openDocument(kind: string, content: string, ...more: ZipEntry[]): Buffer {
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const files = ['content.xml', ...more.map(({ name }) => name)];
  const manifest = `${declaration}<manifest:manifest
xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">
<manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/>
${files.map((file) => `<manifest:file-entry manifest:full-path="${file}" manifest:media-type="text/xml"/>`).join('')}
</manifest:manifest>`;
  return zipOf([
    { name: 'mimetype', content: type, isStored: true },
    { name: 'content.xml', content },
    ...more,
    { name: 'META-INF/manifest.xml', content: manifest },
  ]);
}

/** A file whose conversion takes longer the more pages it has. */
export const longDocx = (pages: number) =>
  docx(
    wordDocument(`${paragraph('Page')}<w:p><w:r><w:br w:type="page"/></w:r></w:p>`.repeat(pages)),
  );
