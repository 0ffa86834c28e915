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
