import { setFlagsFromString } from 'node:v8';

/**
 * Keeps request messages in the young generation. By default V8 allocates in the old generation if
 * earlier objects from the same allocation site survived. Protobuf descriptors and request messages
 * come from the same site, and only descriptors live long. Measured in bench/README.md.
 */
export function keepMessagesYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
