import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accentColorsOf, contrastOf } from '../../../src/sharing/brand/colors.ts';

it('the text on an accent colour, and lines in its colour, have enough contrast', () => {
  const color = fc
    .integer({ min: 0, max: 0xffffff })
    .map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(color, (chosen) => {
      const { accent, strong, ink, onLight, onDark } = accentColorsOf(chosen);
      expect(accent).toBe(chosen);
      expect(contrastOf(accent, ink)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(strong, ink)).toBeGreaterThanOrEqual(4.5);
      for (const ground of ['#ffffff', '#f4f5f7']) {
        expect(contrastOf(onLight.line, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(onLight.strong, ground)).toBeGreaterThanOrEqual(4.5);
      }
      for (const ground of ['#12161b', '#1c222a']) {
        expect(contrastOf(onDark.line, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(onDark.strong, ground)).toBeGreaterThanOrEqual(4.5);
      }
    }),
  );
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21);
  // A color with enough contrast stays as it is.
  expect(accentColorsOf('#7a1fa2').onLight.line).toBe('#7a1fa2');
});
