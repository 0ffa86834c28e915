/** Buttons with an icon, whose label becomes visible in a menu, and with a text. */
import { createElement } from './create-element.ts';
import { createIcon, type IconName } from './icons.ts';

export function iconButton(icon: IconName, text: string, onClick?: () => void): HTMLButtonElement {
  const element = createElement('button', { type: 'button' });
  setFace(element, icon, text);
  if (onClick) element.addEventListener('click', onClick);
  return element;
}

export function setFace(element: HTMLElement, icon: IconName, text: string): void {
  const label = createElement('span', { className: 'label', textContent: text });
  element.replaceChildren(createIcon(icon), label);
  element.ariaLabel = text;
  element.title = text;
}

export function textButton(text: string, onClick: () => void): HTMLButtonElement {
  const element = createElement('button', { type: 'button', className: 'button' }, text);
  element.addEventListener('click', onClick);
  return element;
}

export const linkButton = (text: string, href: string): HTMLAnchorElement =>
  createElement('a', { className: 'button', href }, text);
