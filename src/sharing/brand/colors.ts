// Colours for an accent colour `#rrggbb`, with a readable text colour (WCAG 2.2, contrast).

export type AccentColors = {
  readonly accent: string;
  /** For a button under the pointer. */
  readonly strong: string;
  /** Black or white text has a contrast of at least 4.5 to any colour. */
  readonly ink: '#000000' | '#ffffff';
  /** For links, the focus ring and lines: at least 4.5 to the grounds of the light pages. */
  readonly onLight: LineColors;
  /** As `onLight`, for the dark color scheme. */
  readonly onDark: LineColors;
};

type LineColors = {
  readonly line: string;
  /** With more contrast, for a line under the pointer. */
  readonly strong: string;
};

/** The grounds of the pages with the least contrast to lines: `--ground` and `--surface`. */
const grounds = { light: '#f4f5f7', dark: '#1c222a' } as const;

type Rgb = readonly number[];

export function accentColorsOf(accent: string): AccentColors {
  const rgb = [1, 3, 5].map((start) => Number.parseInt(accent.slice(start, start + 2), 16));
  const luminance = luminanceOf(rgb);
  const isDark = 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05;
  // Away from the colour of the text, so that its contrast grows.
  const strong = hexOf(mix(rgb, isDark ? 0 : 255, strongShare));
  const ink = isDark ? '#ffffff' : '#000000';
  const onLight = lineColorsOn(grounds.light, rgb, 0);
  return { accent: hexOf(rgb), strong, ink, onLight, onDark: lineColorsOn(grounds.dark, rgb, 255) };
}

const strongShare = 0.18;

/** Mixes the color with black or white until its contrast suffices for text. */
function lineColorsOn(ground: string, rgb: Rgb, end: 0 | 255): LineColors {
  let share = 0;
  while (contrastOf(hexOf(mix(rgb, end, share)), ground) < 4.5) share += 0.02;
  const line = mix(rgb, end, share);
  return { line: hexOf(line), strong: hexOf(mix(line, end, strongShare)) };
}

/** `share`: 0 for the color, 1 for black or white. */
const mix = (rgb: Rgb, end: 0 | 255, share: number): Rgb =>
  rgb.map((value) => value + (end - value) * share);

export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [one, other]
    .map((color) => [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)))
    .map(luminanceOf)
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminanceOf(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hexOf = (rgb: Rgb) =>
  `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
