// The certificate of a client (RFC 8705), which each connection of a command presents: that of the
// environment, or else that of the profile.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { CommandError, type CommandHost } from '../base/command.ts';
import { unreadable } from '../base/files.ts';
import { commandLineVariables as variables } from '../variables.ts';
import { type CertificateFiles, type Profile, serverOf } from './profile.ts';

/** PEM texts, as `node:tls` expects them. */
export type ClientCertificate = { readonly cert: string; readonly key: string };

const { certificateFile, certificateKeyFile } = variables;

/** A server, and the certificates for it. */
export type Target = Pick<CommandHost, 'env'> & Pick<Profile, 'server' | 'certificate'>;

/** The server of a profile, which alone gets the certificate of the profile. */
export const targetOf = (
  { env }: Pick<CommandHost, 'env'>,
  { server, certificate }: Pick<Profile, 'server' | 'certificate'>,
): Target => ({ server, env, certificate });

/**
 * Returns undefined if neither the environment nor the profile names a certificate. Throws a
 * CommandError that names the variable or the file if the certificate cannot be used, or belongs
 * to another server. The error never contains the key.
 */
export function readCertificateFor(target: Target): ClientCertificate | undefined {
  const { certificate } = target;
  const inEnvironment = filesInEnvironment(target);
  if (inEnvironment !== undefined) {
    return readCertificate(inEnvironment, { file: certificateFile, keyFile: certificateKeyFile });
  }
  if (certificate === undefined) return undefined;
  return readCertificate(certificate, { file: 'certificate', keyFile: 'certificate key' });
}

function filesInEnvironment({ server, env }: Target): CertificateFiles | undefined {
  const file = env[certificateFile];
  const keyFile = env[certificateKeyFile];
  if (!file && !keyFile) return undefined;
  if (!keyFile) throw wrong(`${certificateFile} needs ${certificateKeyFile}`);
  if (!file) throw wrong(`${certificateKeyFile} needs ${certificateFile}`);
  requireOwnServer(server, env[variables.server]);
  return { file, keyFile };
}

/** Errors begin with the `names` of the files. */
function readCertificate(
  { file, keyFile }: CertificateFiles,
  names: CertificateFiles,
): ClientCertificate {
  const cert = readPem(file, names.file);
  const key = readPem(keyFile, names.keyFile);
  const form = 'in PEM form that TLS accepts';
  requireUsable({ cert }, `${names.file}: ${file} is not a certificate ${form}`);
  const noPassphrase = 'a private key without a passphrase';
  requireUsable({ key }, `${names.keyFile}: ${keyFile} is not ${noPassphrase} ${form}`);
  const mismatch = `${keyFile} does not belong to the certificate in ${file}`;
  requireUsable({ cert, key }, `${names.keyFile}: the key in ${mismatch}`);
  requireValidNow(new X509Certificate(cert), names.file);
  return { cert, key };
}

const wrong = (problem: string, cause?: unknown) => new CommandError(problem, cause, 'usage');

/** The certificate names the caller. It is sent only to this server, not to that of a profile. */
function requireOwnServer(server: string, named: string | undefined): void {
  const place = `${certificateFile} is for the server ${variables.server}`;
  if (!named) throw wrong(`${place}, which is not set. Set it to ${server}`);
  const own = serverOf(named);
  if (own !== server) throw wrong(`${place}, ${own}, and not for ${server}`);
  if (server.startsWith('https:')) return;
  throw wrong(`${certificateFile} needs an https address, but ${variables.server} is ${server}`);
}

function readPem(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(`${name}: ${file}`, error);
  }
}

/** Also checks the intermediate certificates. */
function requireUsable(options: Partial<ClientCertificate>, problem: string): void {
  try {
    createSecureContext(options);
  } catch (error) {
    throw wrong(problem, error);
  }
}

function requireValidNow({ validFrom, validTo }: X509Certificate, name: string): void {
  const [start, end] = [new Date(validFrom), new Date(validTo)];
  const now = Date.now();
  const problem =
    end.getTime() <= now
      ? `expired on ${end.toISOString()}`
      : start.getTime() > now
        ? `is not valid before ${start.toISOString()}`
        : undefined;
  if (problem === undefined) return;
  throw new CommandError(`${name}: the certificate ${problem}`, undefined, 'access');
}
