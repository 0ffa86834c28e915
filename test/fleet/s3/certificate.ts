import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** Creates a certificate for 127.0.0.1 that no one trusts. */
export async function certificate() {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-tls-'));
  const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name));
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', `${keyFile}`, '-out', `${certFile}`];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await promisify(execFile)('openssl', ['req', ...kind, ...subject, ...files, '-days', '2']);
  const [key, cert] = [await readFile(`${keyFile}`), await readFile(`${certFile}`)];
  await rm(folder, { recursive: true });
  return { key, cert };
}
