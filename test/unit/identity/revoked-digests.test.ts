import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRevokedDigests } from '../../../src/identity/tokens/revoked-digests.ts';

const minuteMs = 60_000;
const start = 1_795_000_000_000;

describe('the digests of revoked tokens', () => {
  it('contain every token that was added, and no other', () => {
    const digests = createRevokedDigests(() => start);
    const [added, others] = [0, 1].map(() => Array.from({ length: 100_000 }, () => randomUUID()));
    for (const jti of added ?? []) digests.add(jti, start + minuteMs);

    expect(added?.every((jti) => digests.mayHave(jti))).toBe(true);
    expect(others?.some((jti) => digests.mayHave(jti))).toBe(false);
    expect(digests.size).toBe(100_000);
  });

  it('differ for texts that differ in one character', () => {
    const digests = createRevokedDigests(() => start);
    for (let i = 0; i < 100_000; i++) {
      expect(digests.mayHave(`token ${i}`)).toBe(false);
      digests.add(`token ${i}`, start + minuteMs);
    }
  });

  it('count a token that was added twice once, and keep it for the longer time', () => {
    let now = start;
    const digests = createRevokedDigests(() => now);
    for (const ms of [minuteMs, 60 * minuteMs, minuteMs]) digests.add('a', start + ms);
    expect(digests.size).toBe(1);

    now += 30 * minuteMs;
    fill(digests, 10_000, now + minuteMs);

    expect(digests.mayHave('a')).toBe(true);
  });

  it('use less than 40 bytes for each of a million tokens', () => {
    const digests = createRevokedDigests(() => start);

    fill(digests, 1_000_000, start + minuteMs);

    expect(digests.size).toBe(1_000_000);
    expect(digests.bytes).toBeLessThan(40_000_000);
  });

  it('forget expired tokens when others are added', () => {
    let now = start;
    const digests = createRevokedDigests(() => now);
    const rate = 1_000;
    for (let minute = 0; minute < 100; minute++) {
      now = start + minute * minuteMs;
      fill(digests, rate, now + minuteMs, `${minute} `);
    }

    // About two minutes' tokens are unexpired at any time.
    expect(digests.size).toBeLessThan(10 * rate);
    for (let i = 0; i < rate; i++) expect(digests.mayHave(`99 ${i}`)).toBe(true);
  });
});

function fill(
  digests: ReturnType<typeof createRevokedDigests>,
  count: number,
  expireTime: number,
  prefix = '',
): void {
  for (let i = 0; i < count; i++) digests.add(`${prefix}${i}`, expireTime);
}
