import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the messages of requests in the young part of the heap. By default V8 allocates objects in
 * the old part if earlier ones from the same place in the code survived. Protobuf descriptors and
 * the messages of requests come from the same place, and only descriptors live long. Measured in
 * bench/README.md.
 */
export function keepMessagesYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
