/** Shows the beginning of a text, with the modules of the link viewer. */
import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../../src/base/http/format-size.ts';
import type { ViewerKind } from '../../../../src/base/http/viewer-kinds.ts';
import { decodeText, type TextFile } from '../../../viewer/loading/text-file.ts';
import { renderMarkdown } from '../../../viewer/markdown/render-markdown.ts';
import { createTable } from '../../../viewer/table/create-table.ts';
import { readRows } from '../../../viewer/table/read-rows.ts';
import { formatJson } from '../../../viewer/text/format-json.ts';
import '../../../viewer/markdown/markdown.css';
import '../../../viewer/table/table.css';
import '../../../viewer/text/text.css';
import type { Session } from '../../session/session.ts';
import { fetchDocument } from '../fetch-document.ts';

export type TextKind = Extract<ViewerKind, 'markdown' | 'json' | 'csv' | 'text'>;

export type ShownText = {
  readonly element: HTMLElement;
  /** Which part is shown; empty for the whole file. */
  readonly rest: string;
};

/** The viewer shows more. */
const shownBytes = 256_000;

/** Throws the error of the service. */
export async function createText(
  session: Session,
  document: Document,
  kind: TextKind,
  signal: AbortSignal,
): Promise<ShownText> {
  const { sizeBytes } = document;
  const end = Math.min(sizeBytes, shownBytes);
  const part = await fetchDocument(session, document, { signal, range: [0, end] });
  const isComplete = end === sizeBytes;
  const text = decodeText(new Uint8Array(await part.arrayBuffer()), isComplete);
  const element = await createElement(kind, document.name, text, isComplete);
  const shown = `You see the first ${formatSize(end)} of ${formatSize(sizeBytes)}.`;
  return { element, rest: isComplete ? '' : shown };
}

async function createElement(
  kind: TextKind,
  name: string,
  text: string,
  isComplete: boolean,
): Promise<HTMLElement> {
  if (kind === 'csv') {
    const table = createTable(name, await readRows(fileWith(text, isComplete)));
    void table.fill();
    return table.element;
  }
  const formatted = kind === 'markdown' ? await renderMarkdown(text) : undefined;
  const element = document.createElement(formatted === undefined ? 'pre' : 'article');
  element.className = formatted === undefined ? 'text' : 'markdown';
  element.append(
    formatted ?? (kind === 'json' && isComplete ? formatJson(text) : undefined) ?? text,
  );
  return element;
}

/** A file of which nothing follows the text. */
function fileWith(text: string, isComplete: boolean): TextFile {
  let unread = text;
  return {
    isComplete,
    readPart: '',
    async read() {
      const read = unread;
      unread = '';
      return read;
    },
  };
}
