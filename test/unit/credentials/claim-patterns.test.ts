import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  checkPattern,
  checkSubjectPattern,
  matchesPattern,
} from '../../../src/credentials/claim-patterns.ts';
import { itHoldsFor } from '../../support/rule.ts';

const cases: readonly [pattern: string, value: string, isMatch: boolean][] = [
  ['repo:a/b', 'repo:a/b', true],
  ['repo:a/b', 'repo:a/bc', false],
  ['repo:a/*', 'repo:a/b', true],
  ['repo:a/*', 'repo:a/', false],
  ['repo:a/*', 'repo:a/b/c', false],
  ['repo:a/*', 'repo:a/b:c', false],
  ['repo:a/*:ref:refs/heads/main', 'repo:a/b:ref:refs/heads/main', true],
  ['repo:a/*:ref:refs/heads/main', 'repo:a/b:ref:refs/heads/main2', false],
  ['refs/tags/v*', 'refs/tags/v1', true],
  ['refs/tags/v*', 'refs/tags/v', false],
  ['refs/tags/*-rc', 'refs/tags/1-rc', true],
  ['refs/tags/*-rc', 'refs/tags/-rc', false],
  ['v*1', 'v1', false],
  ['v*1', 'v11', true],
  ['*', 'anything', true],
  ['*', '', false],
  ['*', 'a/b', false],
  ['spiffe://example.org/ns/*/sa/a', 'spiffe://example.org/ns/prod/sa/a', true],
  ['spiffe://example.org/ns/*/sa/a', 'spiffe://example.org/ns//sa/a', false],
  ['a:b', 'a/b', false],
  ['a*:b', 'ax/b', false],
  ['a.c', 'abc', false],
  ['a*', 'a*', true],
  ['a', 'a\n', false],
];

describe('a pattern', () => {
  itHoldsFor(cases, 24)('matches within a segment only', (pattern, value, isMatch) => {
    expect(matchesPattern(pattern, value), `${pattern} ${value}`).toBe(isMatch);
  });

  it('compares each segment once, whatever its form', () => {
    const segments = Array.from({ length: 120 }, () => 'a*');
    const value = segments.map(() => 'a'.repeat(60)).join('/');
    const compared = vi.spyOn(String.prototype, 'endsWith');
    onTestFinished(() => compared.mockRestore());
    expect(matchesPattern(`${segments.join('/')}b`, value)).toBe(false);
    expect(matchesPattern(segments.join('/'), 'a'.repeat(8_000))).toBe(false);
    expect(compared).toHaveBeenCalledTimes(segments.length);
  });

  it('has one * in a segment at most', () => {
    for (const bad of ['a*b*c', '**', 'a/**', 'a*:b**']) {
      expect(() => checkPattern('subject', bad), bad).toThrow('at most one *');
    }
    for (const bad of ['ä', 'a\n', '']) {
      expect(() => checkPattern('subject', bad), bad).toThrow('printable');
    }
    checkPattern('subject', 'a*/b*:c*');
  });

  it('of a subject names something', () => {
    for (const bad of ['*', '*:*', '*/*', ':', '*-*'.slice(0, 2)]) {
      expect(() => checkSubjectPattern('subject', bad), bad).toThrow('a letter or a digit');
    }
  });
});
