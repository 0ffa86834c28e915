// The checks of the blob store, the mail server and the addresses.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { errorMessageOf } from '../../clients/cli/src/base/command.ts';
import { describeBlobLocation, type S3Location } from '../base/config/blob-url.ts';
import type { Config } from '../base/config/config.ts';
import { verifySmtp } from '../base/mail/verify-smtp.ts';
import { describeStoreError } from '../base/s3/failure.ts';
import type { MarkedStore } from '../sharing/blobs/blob-store.ts';
import { isForeignFolder } from '../sharing/blobs/disk.ts';
import { withBlobStore } from '../sharing/blobs/open-store.ts';
import { describeForeign } from '../sharing/blobs/own-store.ts';
import { checkFreeSpace } from './check-files.ts';
import { type Finding, fileExists, ok, problem, warning } from './finding.ts';
import { findWrongStore } from './stores.ts';

export async function checkBlobStore(config: Config): Promise<Finding[]> {
  const { blobs } = config;
  const wrong = await findWrongStore(config);
  if (wrong !== undefined) return [problem('blobs', wrong)];
  return blobs.kind === 'folder' ? checkBlobFolder(blobs.path) : checkBucket(blobs);
}

async function checkBucket(location: S3Location): Promise<Finding[]> {
  const place = describeBlobLocation(location);
  try {
    await withBlobStore(location, (store) => roundTrip(store, 'dr'));
    return [ok('blobs', `${place} is writable`)];
  } catch (error) {
    return [problem('blobs', `${place}: ${describeStoreError(error)}`)];
  }
}

async function checkBlobFolder(blobDir: string): Promise<Finding[]> {
  if (!(await fileExists(blobDir))) {
    return [warning('blobs', `${blobDir} does not exist; the first start creates it`)];
  }
  await access(blobDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (await isForeignFolder(blobDir)) return [problem('blobs', describeForeign(blobDir))];
  // In an existing folder of the store, so that no folder is added.
  const folders = (await readdir(blobDir)).filter((name) => /^[0-9A-Za-z]{2}$/.test(name));
  const [folder = 'dr'] = folders;
  try {
    await withBlobStore({ kind: 'folder', path: blobDir }, (store) => roundTrip(store, folder));
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    return [problem('blobs', `${blobDir}: ${errorMessageOf(cause ?? error)}; check the disk`)];
  } finally {
    if (folders.length === 0) await rmdir(path.join(blobDir, folder)).catch(() => {});
  }
  return [await checkFreeSpace('blobs', blobDir)];
}

async function roundTrip(store: MarkedStore, folder: string): Promise<void> {
  const id = `${folder}doctor${randomUUID().replaceAll('-', '')}`;
  const bytes = Buffer.from('latchkey doctor');
  const part = { offset: 0, length: bytes.length, sizeBytes: bytes.length };
  async function* source() {
    yield bytes;
  }
  try {
    await store.write(id, source());
    const read: Uint8Array[] = [];
    for await (const chunk of store.read(id, part)) read.push(Uint8Array.from(chunk));
    if (!Buffer.concat(read).equals(bytes)) throw new Error('it returned other bytes');
  } finally {
    await store.remove(id);
  }
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

export async function checkProxies(config: Config): Promise<Finding[]> {
  const { publicUrl, trustedProxies, http, tlsCert } = config;
  if (publicUrl?.startsWith('https:') && tlsCert === undefined && trustedProxies.length === 0) {
    const message =
      'LATCHKEY_PUBLIC_URL is https, which needs a proxy, but LATCHKEY_TRUSTED_PROXIES is empty: ' +
      'every caller seems to have the address of the proxy, and one caller can slow down all ' +
      'sign-ins. Set LATCHKEY_TRUSTED_PROXIES to the network of the proxy';
    return [warning('proxies', message)];
  }
  if (publicUrl === undefined && !loopback.test(http.host)) {
    const message =
      'LATCHKEY_PUBLIC_URL is not set, but LATCHKEY_HTTP_ADDRESS is not a loopback address: ' +
      'links and tokens will contain that address. Set LATCHKEY_PUBLIC_URL to the origin that ' +
      'users open';
    return [warning('proxies', message)];
  }
  const wide = trustedProxies.find((network) => /\/[1-7]$/.test(network));
  if (wide !== undefined) {
    const message =
      `LATCHKEY_TRUSTED_PROXIES contains ${wide}: callers there can choose their address, and ` +
      'avoid the limits of wrong passwords. Name the network of the proxy';
    return [warning('proxies', message)];
  }
  if (publicUrl !== undefined && !isSafe(publicUrl)) {
    const message =
      `${publicUrl} is not https: others on the network can read passwords and tokens. Put a ` +
      'proxy with TLS in front, and set LATCHKEY_PUBLIC_URL to its https address';
    return [warning('proxies', message)];
  }
  return [ok('proxies', `the public URL is ${publicUrl ?? 'the local address'}`)];
}

const isLocal = (url: string) => loopback.test(new URL(url).hostname.replace(/^\[|\]$/g, ''));

const isSafe = (url: string) => url.startsWith('https:') || isLocal(url);

export async function checkMail({ smtp, dataDir, publicUrl }: Config): Promise<Finding[]> {
  if (smtp === undefined) {
    const outbox = path.join(dataDir, 'outbox');
    const message = `mails are files in ${outbox}, because LATCHKEY_SMTP_URL is not set`;
    if (publicUrl === undefined || isLocal(publicUrl)) return [ok('mail', message)];
    return [warning('mail', `${message}: codes, invitations and password resets are not sent`)];
  }
  const { host, port, login } = smtp;
  const failure = await verifySmtp(smtp);
  if (failure === undefined) {
    const signedIn = login === undefined ? '' : ' and the login';
    return [ok('mail', `${host}:${port} accepts connections${signedIn}`)];
  }
  return [problem('mail', `${host}:${port}: ${failure}`)];
}
