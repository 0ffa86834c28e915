// Starts nginx from Debian for comparison. Its WebDAV module stores files and sendfile sends them.
// It does not hash or sync files and does not authenticate callers.
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { startProgram } from './processes.mjs';

export async function startNginx(folder, filesDir) {
  const root = path.join(folder, 'nginx');
  await mkdir(path.join(root, 'logs'), { recursive: true });
  const port = await freePort();
  const file = path.join(root, 'nginx.conf');
  await writeFile(file, configuration({ port, root, filesDir }));
  return startProgram({
    command: 'nginx',
    args: ['-p', root, '-c', file, '-e', path.join(root, 'logs/error.log')],
    env: {},
    logFile: path.join(root, 'logs/access.log'),
    isReady: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      return response === undefined ? undefined : String(port);
    },
  });
}

function configuration({ port, root, filesDir }) {
  const isRoot = process.getuid?.() === 0;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = temporary.map((name) => `  ${name}_temp_path ${root}/${name};`);
  return `${isRoot ? 'user root;' : ''}
daemon off;
worker_processes auto;
pid ${root}/nginx.pid;
error_log ${root}/logs/error.log;
events {}
http {
${paths.join('\n')}
  access_log ${root}/logs/access.log;
  sendfile on;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  server {
    listen 127.0.0.1:${port};
    location /files/ {
      alias ${filesDir}/;
      dav_methods PUT;
    }
  }
}
`;
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
