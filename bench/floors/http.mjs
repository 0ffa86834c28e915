// The floor of HTTP: POST /tokens on a bare node:http server.
import { createServer } from 'node:http';
import { announce, createWork, readSettings } from './work.mjs';

const issue = createWork(readSettings());

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { client_id, client_secret, scope } = JSON.parse(Buffer.concat(chunks).toString());
    issue(client_id, client_secret, scope, (issued) => {
      const answer =
        issued === undefined
          ? { error: 'invalid_client' }
          : {
              access_token: issued.token,
              token_type: 'Bearer',
              expires_in: issued.lifetimeSeconds,
              scope,
            };
      const body = JSON.stringify(answer);
      response.writeHead(issued === undefined ? 401 : 200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
      });
      response.end(body);
    });
  });
});

server.listen(0, '127.0.0.1', () => announce(server.address().port));
