/** The end of a document that is shown only in part. */
export interface RestNotice {
  readonly element: HTMLElement;
  update(text: string): void;
}

/** `more`: shows the next part. */
export function createRestNotice(main: HTMLElement, text: string, more?: () => void): RestNotice {
  const element = document.createElement('footer');
  element.className = 'rest';
  const sentence = document.createElement('p');
  sentence.role = 'status';
  sentence.textContent = text;
  element.append(sentence);
  if (more) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Show more';
    button.addEventListener('click', more);
    element.append(button);
  }
  const { download } = main.dataset;
  if (download && !more) {
    const link = document.createElement('a');
    link.className = 'button';
    link.href = download;
    link.textContent = 'Download';
    element.append(link);
  }
  return {
    element,
    update(next) {
      sentence.textContent = next;
    },
  };
}
