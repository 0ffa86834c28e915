// The points of Ed25519 that are public keys (RFC 8032 §5.1).

const prime = 2n ** 255n - 19n;
const orderEight = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/** The y coordinates of the points whose order divides 8. */
const smallOrder = new Set([0n, 1n, prime - 1n, orderEight, prime - orderEight]);

/**
 * Whether only the holder of a private key can sign for a public key of 32 bytes. Anyone can sign
 * for a point of small order: such a signature does not depend on the message. node:crypto accepts
 * these keys, and also second encodings of a point, which RFC 8032 §5.1.3 excludes.
 */
export function isStrongPublicKey(bytes: Uint8Array): boolean {
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const y = BigInt.asUintN(255, number);
  return y < prime && !smallOrder.has(y);
}
