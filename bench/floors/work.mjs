// The minimum work of a token service. Issue: read the row, hash and compare the secret, write the
// claims, sign them on the thread pool. Verify: identify the caller, verify the signature on the
// thread pool, read the claims.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import SQLite from '../sqlite.mjs';

const lifetimes = { service: 300, customer: 60 };
const sha256 = (text) => createHash('sha256').update(text).digest();

/**
 * Uses the credentials and the issuer of the measured service, so that tokens have the same size.
 * Uses its public keys, so that the floor can verify its tokens.
 */
export function createWork({ file, client, customer, issuer, jwks }) {
  const db = new SQLite(file);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE credentials (id TEXT PRIMARY KEY, digest BLOB, owner TEXT) WITHOUT ROWID');
  const insert = db.prepare('INSERT INTO credentials VALUES (?, ?, ?)');
  insert.run(client.id, sha256(client.secret), '{}');
  insert.run(keyIdOf(customer.key), sha256(customer.key), JSON.stringify(customer));
  const find = db.prepare('SELECT digest, owner FROM credentials WHERE id = ?');
  const issueFor = createSigner(issuer);
  const verifyFor = createVerifier(issuer, jwks);

  /** Returns the owner of the credential; undefined if the secret is wrong. */
  function authenticate(id, secret) {
    const row = find.get(id);
    if (row === undefined || !timingSafeEqual(row.digest, sha256(secret))) return undefined;
    return JSON.parse(row.owner);
  }

  return {
    /** Calls `done` with the token, or with undefined if the secret is wrong. */
    issue(id, secret, scope, done) {
      if (authenticate(id, secret) === undefined) return done(undefined);
      issueFor({ sub: id, client_id: id, scope, principal_type: 'service' }, done);
    },
    exchange(key, scope, done) {
      const id = keyIdOf(key);
      const owner = authenticate(id, key);
      if (owner === undefined) return done(undefined);
      const { id: sub, accounts } = owner;
      issueFor({ sub, client_id: id, scope, principal_type: 'customer', accounts }, done);
    },
    /** Calls `done` with the claims, or with undefined if the token or the caller is invalid. */
    verify: verifyFor,
  };
}

const keyIdOf = (key) => `key_${key.slice(6, 28)}`;

function createSigner(issuer) {
  const pair = generateKeyPairSync('ed25519');
  const privateKey = createPrivateKey(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const kid = sha256(pair.publicKey.export({ format: 'der', type: 'spki' })).toString('base64url');
  const header = encode({ alg: 'EdDSA', typ: 'at+jwt', kid });
  return (claims, done) => {
    const lifetimeSeconds = lifetimes[claims.principal_type];
    const iat = Math.floor(Date.now() / 1000);
    const payload = encode({
      iss: issuer,
      aud: issuer,
      ...claims,
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

function createVerifier(issuer, jwks) {
  const keys = new Map(
    jwks.keys.map((jwk) => [
      encode({ alg: 'EdDSA', typ: 'at+jwt', kid: jwk.kid }),
      createPublicKey({ key: jwk, format: 'jwk' }),
    ]),
  );
  const callers = new Map();
  const isCurrent = ({ iss, aud, exp }) =>
    iss === issuer && aud === issuer && Date.now() < exp * 1000;

  function check(token, done) {
    const [header, payload, signature] = token.split('.');
    const key = keys.get(header);
    if (key === undefined) return done(undefined);
    const bytes = Buffer.from(signature, 'base64url');
    verify(null, Buffer.from(`${header}.${payload}`), key, bytes, (error, good) => {
      if (error) throw error;
      const claims = good ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined;
      done(claims !== undefined && isCurrent(claims) ? claims : undefined);
    });
  }
  /** Identifies a known caller by the digest of its token, without a signature check. */
  function admit(authorization, done) {
    const digest = sha256(authorization).toString('base64');
    const known = callers.get(digest);
    if (known !== undefined) return done(isCurrent(known) ? known : undefined);
    check(authorization.slice('Bearer '.length), (claims) => {
      if (claims !== undefined) callers.set(digest, claims);
      done(claims);
    });
  }
  return (authorization, token, done) => {
    admit(authorization, (caller) => {
      if (!caller?.scope.split(' ').includes('tokens:read')) return done(undefined);
      check(token, done);
    });
  };
}

function encode(json) {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}

/** Reads the settings of a floor: JSON in an environment variable. */
export function readSettings() {
  return JSON.parse(process.env.FLOOR_SETTINGS ?? '{}');
}

/** Prints the line that run.mjs waits for. */
export function announce(port) {
  process.stderr.write(`The floor is ready: ${port}\n`);
}
