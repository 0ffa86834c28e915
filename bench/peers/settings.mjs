// The settings of a peer, and its message when it is ready.

/**
 * `port`: where the peer listens. `client`: `{id, secret}`. `scope`: the scopes of the client.
 * `audience`: the `aud` of the tokens. `file`: a path for an SQLite file. `signer`: `jose` or
 * `crypto`.
 */
export function readSettings() {
  return JSON.parse(process.env.PEER_SETTINGS ?? '{}');
}

/** Starts the server. `fields`: the credentials that the peer generated. */
export function listen(server, port, fields) {
  server.listen(port, '127.0.0.1', () => {
    process.stderr.write(`The peer is ready: ${JSON.stringify(fields)}\n`);
  });
}
