/** The stored bytes of a document differ from the uploaded bytes. */
export class DamagedBlob extends Error {
  readonly blobId: string;
  readonly damage: Damage;

  constructor(blobId: string, damage: Damage, options?: ErrorOptions) {
    super(`the blob ${blobId} is damaged: ${damages[damage]}`, options);
    this.name = 'DamagedBlob';
    this.blobId = blobId;
    this.damage = damage;
  }
}

const damages = {
  missing: 'its content is missing',
  unreadable: 'its content cannot be read',
  size: 'its size differs from the document',
  digest: 'its SHA-256 differs from the document',
};

export type Damage = keyof typeof damages;

/** Returns whether the whole blob is missing or unreadable. Its volume may not be mounted. */
export function isAbsent({ damage }: DamagedBlob): boolean {
  return damage === 'missing' || damage === 'unreadable';
}

type Part = { readonly offset: number; readonly length: number; readonly sizeBytes: number };

/** Returns whether a store has a blob, even if its size is wrong. */
export async function hasBlob(
  store: { readonly read: (id: string, part: Part) => AsyncIterable<Uint8Array> },
  id: string,
  sizeBytes: number,
): Promise<boolean> {
  try {
    for await (const _ of store.read(id, { offset: 0, length: 1, sizeBytes })) break;
    return true;
  } catch (error) {
    if (!(error instanceof DamagedBlob)) throw error;
    return !isAbsent(error);
  }
}
