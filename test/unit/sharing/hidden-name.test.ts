import { expect, it } from 'vitest';
import { shownExtensionOf } from '../../../src/sharing/gate/presentation.ts';

it('the extension of a hidden name is one of its content type', () => {
  const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const cases = [
    ['Merger with John.Smith', 'application/pdf', '.pdf'],
    ['Merger with acme.com', 'application/octet-stream', ''],
    ['Merger with John.Smith', 'application/x-cfb', ''],
    ['Merger with acme.com', 'text/plain', '.txt'],
    ['Secret', 'application/pdf', '.pdf'],
    ['Secret.PDF', 'application/pdf', '.pdf'],
    ['Secret.jpeg', 'image/jpeg', '.jpeg'],
    ['Secret.docx', word, '.docx'],
    ['Secret.doc', 'application/x-cfb', '.doc'],
    ['Secret.md', 'text/markdown', '.md'],
    ['Secret.opus', 'audio/ogg; codecs=opus', '.opus'],
    ['Secret.flac', 'audio/flac', '.flac'],
  ] as const;
  for (const [name, contentType, extension] of cases) {
    expect(shownExtensionOf(name, contentType), `${name} ${contentType}`).toBe(extension);
  }
});
