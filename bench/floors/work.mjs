// The work that no token service can leave out, with nothing around it: read the client's row,
// hash the secret and compare, write the claims, sign them on the thread pool.
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  timingSafeEqual,
} from 'node:crypto';
import SQLite from 'better-sqlite3';

const lifetimeSeconds = 300;
const sha256 = (text) => createHash('sha256').update(text).digest();

/** `settings`: the client of the service that is measured, and its issuer: tokens of one size. */
export function createWork({ file, clientId, clientSecret, issuer }) {
  const db = new SQLite(file);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE clients (id TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID');
  db.prepare('INSERT INTO clients VALUES (?, ?)').run(clientId, sha256(clientSecret));
  const find = db.prepare('SELECT digest FROM clients WHERE id = ?');

  const pair = generateKeyPairSync('ed25519');
  const privateKey = createPrivateKey(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const kid = sha256(pair.publicKey.export({ format: 'der', type: 'spki' })).toString('base64url');
  const header = encode({ alg: 'EdDSA', typ: 'at+jwt', kid });

  /** Calls back with the token, or with undefined where the secret is wrong. */
  return function issue(id, secret, scope, done) {
    const row = find.get(id);
    if (row === undefined || !timingSafeEqual(row.digest, sha256(secret))) return done(undefined);
    const iat = Math.floor(Date.now() / 1000);
    const payload = encode({
      iss: issuer,
      aud: issuer,
      sub: id,
      client_id: id,
      scope,
      principal_type: 'service',
      iat,
      exp: iat + lifetimeSeconds,
      jti: randomUUID(),
    });
    const input = `${header}.${payload}`;
    sign(null, Buffer.from(input), privateKey, (error, signature) => {
      if (error) throw error;
      done({ token: `${input}.${signature.toString('base64url')}`, lifetimeSeconds });
    });
  };
}

function encode(json) {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}

/** The settings of a floor come as JSON in its environment. */
export function readSettings() {
  return JSON.parse(process.env.FLOOR_SETTINGS ?? '{}');
}

/** What run.mjs waits for. */
export function announce(port) {
  process.stderr.write(`The floor is ready: ${port}\n`);
}
