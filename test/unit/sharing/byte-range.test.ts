import { describe, expect } from 'vitest';
import { Failure } from '../../../src/base/errors/errors.ts';
import { selectBytes } from '../../../src/base/http/byte-range.ts';
import { rangeCases } from '../../support/range-cases.ts';
import { itHoldsFor } from '../../support/rule.ts';

describe('the Range header', () => {
  itHoldsFor(rangeCases, 39)('selects the right bytes', (range, expected) => {
    const select = () => selectBytes({ range, ifRange: '', ifNoneMatch: '' }, 10_000, '"tag"');
    if (expected === 'none') {
      expect(select).toThrow(Failure);
      return;
    }
    const [first, last] = expected === 'all' ? [0, 9999] : expected;
    expect(select()).toEqual({
      notModified: false,
      partial: expected !== 'all',
      offset: first,
      length: last - first + 1,
    });
  });

  const tag = '"tag"';
  const conditions: [ifRange: string, partial: boolean][] = [
    ['"tag"', true],
    ['"other"', false],
    // RFC 9110 §13.1.5 requires the strong comparison.
    ['W/"tag"', false],
    ['Wed, 21 Oct 2015 07:28:00 GMT', false],
    ['garbage', false],
  ];
  itHoldsFor(conditions, 5)('respects If-Range', (ifRange, partial) => {
    const selected = selectBytes({ range: 'bytes=0-1', ifRange, ifNoneMatch: '' }, 10, tag);
    expect(selected.partial).toBe(partial);
  });

  const tags: [ifNoneMatch: string, notModified: boolean][] = [
    ['"tag"', true],
    ['W/"tag"', true],
    ['*', true],
    ['"other", "tag"', true],
    ['"other"', false],
    ['tag', false],
    ['', false],
  ];
  itHoldsFor(tags, 7)('respects If-None-Match', (ifNoneMatch, notModified) => {
    const request = { range: 'bytes=0-1', ifRange: '', ifNoneMatch };
    expect(selectBytes(request, 10, tag).notModified).toBe(notModified);
  });
});
