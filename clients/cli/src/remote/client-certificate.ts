// The certificate of a client (RFC 8705), which each connection of a command presents.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { CommandError, type CommandHost } from '../base/command.ts';
import { unreadable } from '../base/files.ts';
import { commandLineVariables as variables } from '../variables.ts';
import { serverOf } from './profile.ts';

/** PEM texts, as `node:tls` expects them. */
export type ClientCertificate = { readonly cert: string; readonly key: string };

const { certificateFile, certificateKeyFile } = variables;

/**
 * Returns undefined if the environment names no certificate. Throws a CommandError that names the
 * variable if the certificate cannot be used, or belongs to another server. The error never
 * contains the key.
 */
export function readCertificateFor(
  server: string,
  env: CommandHost['env'],
): ClientCertificate | undefined {
  const file = env[certificateFile];
  const keyFile = env[certificateKeyFile];
  if (!file && !keyFile) return undefined;
  if (!keyFile) throw wrong(`${certificateFile} needs ${certificateKeyFile}`);
  if (!file) throw wrong(`${certificateKeyFile} needs ${certificateFile}`);
  requireOwnServer(server, env[variables.server]);
  const cert = readPem(file, certificateFile);
  const key = readPem(keyFile, certificateKeyFile);
  const form = 'in PEM form that TLS accepts';
  requireUsable({ cert }, `${certificateFile}: ${file} is not a certificate ${form}`);
  const noPassphrase = 'a private key without a passphrase';
  requireUsable({ key }, `${certificateKeyFile}: ${keyFile} is not ${noPassphrase} ${form}`);
  const mismatch = `${keyFile} does not belong to the certificate in ${file}`;
  requireUsable({ cert, key }, `${certificateKeyFile}: the key in ${mismatch}`);
  requireValidNow(new X509Certificate(cert));
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

function readPem(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(`${variable}: ${file}`, error);
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

function requireValidNow({ validFrom, validTo }: X509Certificate): void {
  const [start, end] = [new Date(validFrom), new Date(validTo)];
  const now = Date.now();
  const problem =
    end.getTime() <= now
      ? `expired on ${end.toISOString()}`
      : start.getTime() > now
        ? `is not valid before ${start.toISOString()}`
        : undefined;
  if (problem === undefined) return;
  throw new CommandError(`${certificateFile}: the certificate ${problem}`, undefined, 'access');
}
