// Checks an uploaded logo. The image is stored unchanged; only browsers decode it.
import { fileTypeFromBuffer } from 'file-type';
import type { PutWorkspaceLogoRequest } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { fail, invalid } from '../../base/errors/errors.ts';
import { imageSizeOf } from './image-size.ts';

const bytesMax = 1_048_576;
const pixelsMax = 2_000;
/** Chunks from a network are larger than a hundred bytes. */
const messagesMax = 10_000;

const contentTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

export type Logo = { readonly contentType: string; readonly bytes: Buffer };

export type LogoUpload = {
  readonly workspaceId: string;
  read(): Promise<Logo>;
};

/** Reads the first message. Its sender's access is checked before the others are read. */
export async function startLogoUpload(
  messages: AsyncGenerator<PutWorkspaceLogoRequest>,
): Promise<LogoUpload> {
  const first = await messages.next();
  if (first.done) throw invalid('file', 'is required');
  const { workspaceId, file } = first.value;
  return {
    workspaceId,
    async read() {
      const chunks: Buffer[] = [];
      let size = 0;
      let count = 0;
      const take = (chunk: Uint8Array) => {
        count++;
        if (count > messagesMax) {
          throw invalid('file', `must be sent in at most ${messagesMax} messages`);
        }
        if (chunk.length === 0) return;
        size += chunk.length;
        if (size > bytesMax) {
          throw fail('payload_too_large', `The logo is larger than ${bytesMax} bytes.`);
        }
        // A copy, because the chunk keeps its whole message in memory.
        chunks.push(Buffer.from(chunk));
      };
      take(file);
      for await (const message of messages) {
        if (message.workspaceId !== '') throw invalid('workspace_id', 'must be set only once');
        take(message.file);
      }
      if (size === 0) throw invalid('file', 'must not be empty or missing');
      return checkLogo(Buffer.concat(chunks, size));
    },
  };
}

async function checkLogo(bytes: Buffer): Promise<Logo> {
  const contentType = (await fileTypeFromBuffer(bytes))?.mime ?? '';
  // A moving logo distracts from the form (WCAG 2.2.2).
  if (!contentTypes.has(contentType) || isAnimatedWebp(bytes)) {
    throw invalid('file', 'must be a PNG, JPEG or WebP image without animation');
  }
  const size = await imageSizeOf(contentType, bytes);
  if (size === undefined || size.width < 1 || size.height < 1) throw invalid('file', 'is damaged');
  if (size.width > pixelsMax || size.height > pixelsMax) {
    throw invalid('file', `must be at most ${pixelsMax} pixels wide and high`);
  }
  return { contentType, bytes };
}

/** The flag of the extended header (WebP Container Specification, "Extended File Format"). */
const isAnimatedWebp = (bytes: Buffer) =>
  bytes.toString('latin1', 8, 16) === 'WEBPVP8X' && ((bytes[20] ?? 0) & 0x02) !== 0;
