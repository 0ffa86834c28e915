// Encrypts backups in the format of age (https://age-encryption.org/v1), which the program `age`
// can read. Both directions read their source only as fast as their result is read.
//
// The errors of the library can contain the key, so they are neither shown nor kept as a cause.
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { BackupError } from './format.ts';

type Bytes = AsyncIterable<Uint8Array>;

export type BackupKey = {
  readonly identity: string;
  readonly recipient: string;
};

export async function generateBackupKey(): Promise<BackupKey> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

export function createEncrypter(recipients: readonly string[]): Encrypter {
  const encrypter = new Encrypter();
  try {
    for (const recipient of recipients) encrypter.addRecipient(recipient);
  } catch {
    throw new BackupError('LATCHKEY_BACKUP_RECIPIENT is not a public key of age (age1…)');
  }
  return encrypter;
}

export async function encrypt(source: Bytes, encrypter: Encrypter): Promise<Bytes> {
  return encrypter.encrypt(toWebStream(source));
}

/** The text has secret keys, empty lines, and comments with `#`, as a file of `age-keygen`. */
export function createDecrypter(text: string): Decrypter {
  const decrypter = new Decrypter();
  const lines = text.split('\n').map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  try {
    if (identities.length === 0) throw new Error('no identity');
    for (const identity of identities) decrypter.addIdentity(identity);
  } catch {
    throw new BackupError('LATCHKEY_BACKUP_IDENTITY is not a secret key of age');
  }
  return decrypter;
}

/** Throws a `BackupError` if the key is wrong, or the source is truncated or altered. */
export async function* decrypt(source: Bytes, decrypter: Decrypter): Bytes {
  const watched = watchErrors(source);
  try {
    yield* await decrypter.decrypt(toWebStream(watched.source));
  } catch (error) {
    if (watched.error() !== undefined) throw watched.error();
    const isOther = error instanceof Error && /^no identity matched/.test(error.message);
    throw new BackupError(
      isOther
        ? 'the key in LATCHKEY_BACKUP_IDENTITY does not decrypt the file'
        : 'the file is incomplete, damaged or not a backup',
    );
  }
}

/** Distinguishes an error of the source, such as an I/O error, from one of the decryption. */
function watchErrors(source: Bytes): { source: Bytes; error(): unknown } {
  let failure: unknown;
  async function* watched(): Bytes {
    try {
      yield* source;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { source: watched(), error: () => failure };
}

function toWebStream(source: Bytes): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
