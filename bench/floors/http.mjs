// The HTTP floor: POST /tokens and POST /tokens/api-key on a bare node:http server.
import { createServer } from 'node:http';
import { announce, createWork, readSettings } from './work.mjs';

const { issue, exchange } = createWork(readSettings());

const routes = {
  '/tokens': ({ client_id, client_secret, scope }, done) =>
    issue(client_id, client_secret, scope, done),
  '/tokens/api-key': ({ api_key, scope }, done) => exchange(api_key, scope, done),
};

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const fields = JSON.parse(Buffer.concat(chunks).toString());
    routes[request.url](fields, (issued) => {
      const answer =
        issued === undefined
          ? { error: 'invalid_client' }
          : {
              access_token: issued.token,
              token_type: 'Bearer',
              expires_in: issued.lifetimeSeconds,
              scope: fields.scope,
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
