import { Transform } from 'node:stream';

const newline = 10;

/** Passes on whole lines, so that the lines of several processes do not mix in one output. */
export function wholeLines(): Transform {
  let rest: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = chunk.lastIndexOf(newline) + 1;
      if (end > 0) {
        this.push(Buffer.concat([...rest, chunk.subarray(0, end)]));
        rest = [];
      }
      if (end < chunk.length) rest.push(chunk.subarray(end));
      done();
    },
    // The last line of a process that was killed may be incomplete.
    flush(done) {
      if (rest.length > 0) this.push(Buffer.concat([...rest, Buffer.of(newline)]));
      done();
    },
  });
}
