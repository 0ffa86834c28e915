import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accentColorsOf, contrastOf } from '../../../src/sharing/brand/colors.ts';

it('the text on an accent colour is readable on every colour, also under the pointer', () => {
  const color = fc
    .integer({ min: 0, max: 0xffffff })
    .map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(color, (chosen) => {
      const { accent, strong, ink } = accentColorsOf(chosen);
      expect(accent).toBe(chosen);
      expect(contrastOf(accent, ink)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(strong, ink)).toBeGreaterThanOrEqual(4.5);
    }),
  );
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21);
});
