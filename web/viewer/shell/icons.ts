/** The icons of the toolbar. They are decorative: each button has a label. */

/** SVG paths in a 20 × 20 box. */
const paths = {
  minus: 'M5 10h10',
  plus: 'M5 10h10M10 5v10',
  width: 'M3 4v12M17 4v12M6 10h8M8.5 7.5 6 10l2.5 2.5M11.5 7.5 14 10l-2.5 2.5',
  page: 'M4 3h12M4 17h12M10 6v8M7.5 8.5 10 6l2.5 2.5M7.5 11.5 10 14l2.5-2.5',
} as const;

export type IconName = keyof typeof paths;

export function createIcon(name: IconName): SVGSVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}
