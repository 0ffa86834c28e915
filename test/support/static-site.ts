// Serves a folder as hosts of static sites do: `/tour` is the file `tour.html`.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import mime from 'mime';

export type StaticSite = { readonly origin: string; readonly close: () => Promise<unknown> };

export async function serveFolder(folder: string): Promise<StaticSite> {
  const server = createServer(async ({ url = '/' }, response) => {
    const file = fileOf(new URL(url, 'http://localhost').pathname);
    try {
      const bytes = await readFile(path.join(folder, file));
      response.setHeader('Content-Type', mime.getType(file) ?? 'application/octet-stream');
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}

function fileOf(pathname: string): string {
  const name = decodeURIComponent(pathname);
  if (name.endsWith('/')) return `${name}index.html`;
  return path.extname(name) === '' ? `${name}.html` : name;
}
