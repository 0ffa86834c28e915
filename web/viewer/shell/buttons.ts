/** Buttons with an icon, and a label that becomes visible in a menu. */
import { createIcon, type IconName } from './icons.ts';

export function iconButton(icon: IconName, text: string, onClick?: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  setFace(element, icon, text);
  if (onClick) element.addEventListener('click', onClick);
  return element;
}

export function setFace(element: HTMLElement, icon: IconName, text: string): void {
  const label = document.createElement('span');
  label.className = 'label';
  label.textContent = text;
  element.replaceChildren(createIcon(icon), label);
  element.ariaLabel = text;
  element.title = text;
}
