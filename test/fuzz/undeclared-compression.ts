/**
 * The message of the one INTERNAL error that a request may cause: its message has the flag of
 * compression, and its headers name no compression (compression.md of gRPC).
 */
export const undeclaredCompression =
  'A message is compressed, and the headers name no compression.';
