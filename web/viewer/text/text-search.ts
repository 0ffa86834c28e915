/** Finds a text in the elements of a document and marks the matches (CSS Custom Highlight API). */
import type { FindResult, FindStep, Searchable } from '../shell/find-bar.ts';

/** Matches beyond these are not counted. */
const matchesMax = 10_000;

/** A search waits until the reader stops typing. */
const pauseMilliseconds = 150;

export class TextSearch implements Searchable {
  #show: (result: FindResult) => void = () => {};
  #matches: Range[] = [];
  #current = 0;
  #query = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly scroller: HTMLElement,
    private readonly content: HTMLElement,
  ) {}

  onResult(show: (result: FindResult) => void): void {
    this.#show = show;
  }

  find(query: string, step: FindStep): void {
    clearTimeout(this.#timer);
    if (step === 'first') {
      this.#timer = setTimeout(() => this.#search(query), pauseMilliseconds);
    } else if (query !== this.#query) {
      this.#search(query);
    } else if (this.#matches.length > 0) {
      const { length } = this.#matches;
      this.#current = (this.#current + (step === 'next' ? 1 : length - 1)) % length;
      this.#mark();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#query = '';
    this.#matches = [];
    this.#mark();
  }

  #search(query: string): void {
    this.#query = query;
    this.#matches = query === '' ? [] : findMatches(this.content, query);
    const { top } = this.scroller.getBoundingClientRect();
    const visible = this.#matches.findIndex((match) => match.getBoundingClientRect().top >= top);
    this.#current = Math.max(0, visible);
    this.#mark();
  }

  #mark(): void {
    const current = this.#matches[this.#current];
    CSS.highlights?.set('match', new Highlight(...this.#matches));
    CSS.highlights?.set('current-match', new Highlight(...(current ? [current] : [])));
    if (current) scrollTo(this.scroller, current);
    const total = this.#matches.length;
    this.#show({ current: total === 0 ? 0 : this.#current + 1, total, isPending: false });
  }
}

/** Scrolls as little as needed, and not at all if the match is visible. */
function scrollTo(scroller: HTMLElement, match: Range): void {
  const seen = scroller.getBoundingClientRect();
  const found = match.getBoundingClientRect();
  const isVisible =
    found.top >= seen.top + 64 &&
    found.bottom <= seen.bottom &&
    found.left >= seen.left &&
    found.right <= seen.right;
  if (isVisible) return;
  scroller.scrollBy({
    top: found.top - seen.top - seen.height / 3,
    left: found.left - seen.left - seen.width / 3,
  });
}

/** A match may span elements of a line, but not two lines, cells or paragraphs. */
function findMatches(content: HTMLElement, query: string): Range[] {
  const nodes: { readonly node: Node; readonly start: number }[] = [];
  const texts: string[] = [];
  let length = 0;
  let block: Element | null | undefined;
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const owner = node.parentElement?.closest('pre, td, th, p, li, h2, h3, h4, h5, h6') ?? null;
    const text = `${owner === block ? '' : '\n'}${node.textContent ?? ''}`;
    nodes.push({ node, start: length + (owner === block ? 0 : 1) });
    texts.push(text);
    length += text.length;
    block = owner;
  }
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  const matches: Range[] = [];
  let index = 0;
  const placeOf = (offset: number) => {
    while ((nodes[index + 1]?.start ?? Infinity) <= offset) index++;
    return { node: nodes[index]?.node ?? content, offset: offset - (nodes[index]?.start ?? 0) };
  };
  for (const found of texts.join('').matchAll(pattern)) {
    const first = placeOf(found.index);
    const last = placeOf(found.index + found[0].length - 1);
    const range = document.createRange();
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset + 1);
    matches.push(range);
    if (matches.length === matchesMax) break;
  }
  return matches;
}
