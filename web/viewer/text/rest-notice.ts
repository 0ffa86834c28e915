/** The end of a document that is shown only in part. */
import { linkButton, textButton } from '../shell/buttons.ts';
import { createElement } from '../shell/create-element.ts';

export interface RestNotice {
  readonly element: HTMLElement;
  update(text: string): void;
}

/** `more`: shows the next part. */
export function createRestNotice(main: HTMLElement, text: string, more?: () => void): RestNotice {
  const sentence = createElement('p', { role: 'status', textContent: text });
  const element = createElement('footer', { className: 'rest' }, sentence);
  const { download } = main.dataset;
  if (more) element.append(textButton('Show more', more));
  else if (download) element.append(linkButton('Download', download));
  return {
    element,
    update(next) {
      sentence.textContent = next;
    },
  };
}
