// Serves the built browser code at `/assets/`.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createSharedFiles } from '../../api/routes/shared-files.ts';
import { fail } from '../../base/errors/errors.ts';
import { type ChunkOptions, sendBytes, sendWhole } from '../http/send.ts';
import type { HttpExchange } from './exchange.ts';
import { percentDecode } from './template.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.mjs': 'application/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

const headers = {
  // The name of a file changes with its content.
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  // A worker uses the policy of its file. pdf.js decodes some images with WebAssembly.
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
  'cross-origin-resource-policy': 'same-origin',
};

/** Sends the asset at a path. Throws `not_found`. */
export type SendAsset = (exchange: HttpExchange, path: string) => Promise<void>;

export const assetsPath = '/assets/';

export async function createAssets(folder: string, options: ChunkOptions): Promise<SendAsset> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)));
  const files = createSharedFiles(folder, names);
  return async (exchange, urlPath) => {
    const { request } = exchange;
    const name = percentDecode(urlPath.slice(assetsPath.length)) ?? '';
    const type = types[path.extname(name)] ?? 'application/octet-stream';
    const header = (wanted: string) => request.headers[wanted]?.toString();
    const asked = { isHead: request.method === 'HEAD', header };
    const found = await files.reply(name, asked, { ...headers, 'content-type': type });
    if (found === undefined) throw fail('not_found', 'Nothing exists at this path.');
    if (found.body instanceof Uint8Array) await sendBytes(exchange, found, found.body, options);
    else sendWhole(exchange, found);
  };
}
