/** The icons of the viewer, from Tabler. They are decorative: each button has a label. */
import autofitHeight from '@tabler/icons/outline/arrow-autofit-height.svg?raw';
import autofitWidth from '@tabler/icons/outline/arrow-autofit-width.svg?raw';
import down from '@tabler/icons/outline/chevron-down.svg?raw';
import left from '@tabler/icons/outline/chevron-left.svg?raw';
import right from '@tabler/icons/outline/chevron-right.svg?raw';
import up from '@tabler/icons/outline/chevron-up.svg?raw';
import dots from '@tabler/icons/outline/dots.svg?raw';
import download from '@tabler/icons/outline/download.svg?raw';
import rows from '@tabler/icons/outline/layout-rows.svg?raw';
import sidebar from '@tabler/icons/outline/layout-sidebar.svg?raw';
import maximize from '@tabler/icons/outline/maximize.svg?raw';
import minimize from '@tabler/icons/outline/minimize.svg?raw';
import minus from '@tabler/icons/outline/minus.svg?raw';
import plus from '@tabler/icons/outline/plus.svg?raw';
import presentation from '@tabler/icons/outline/presentation.svg?raw';
import printer from '@tabler/icons/outline/printer.svg?raw';
import rotate from '@tabler/icons/outline/rotate-clockwise.svg?raw';
import search from '@tabler/icons/outline/search.svg?raw';
import x from '@tabler/icons/outline/x.svg?raw';
import { createPolicy } from './trusted-types.ts';

const icons = {
  close: x,
  column: rows,
  download,
  fullscreen: maximize,
  minus,
  more: dots,
  next: right,
  nextMatch: down,
  page: autofitHeight,
  panel: sidebar,
  plus,
  previous: left,
  previousMatch: up,
  print: printer,
  rotate,
  search,
  slides: presentation,
  width: autofitWidth,
  window: minimize,
} as const;

export type IconName = keyof typeof icons;

const texts: ReadonlySet<string> = new Set(Object.values(icons));

const policy = createPolicy('latchkey-icons', {
  createHTML(text: string) {
    if (texts.has(text)) return text;
    throw new TypeError('the text is not an icon of this service');
  },
});

export function createIcon(name: IconName): Element {
  const text = policy.createHTML(icons[name]);
  const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  return svg;
}
