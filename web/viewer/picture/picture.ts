/** Zooming of an image that is part of the HTML. */

import { finalProblemOf } from '../loading/file-source.ts';
import { connectionProblem, type LoadProblem } from '../loading/persistent-requests.ts';
import { createElement } from '../shell/create-element.ts';
import { ScrollAnchor } from '../shell/scroll-anchor.ts';
import {
  availableSize,
  type Fit,
  type Point,
  type Size,
  type Zoom,
  type Zoomable,
} from '../shell/zoom.ts';

export interface PictureOptions {
  readonly scroller: HTMLElement;
  readonly image: HTMLImageElement;
  onScale(target: Zoomable): void;
}

export class Picture implements Zoomable {
  readonly content = createElement('div', { className: 'picture' });
  readonly #size: Size;
  #zoom: Zoom = { fit: 'auto' };
  #scale = 1;

  /** `image` must be loaded. */
  constructor(private readonly options: PictureOptions) {
    const { scroller, image } = options;
    this.#size = measure(image);
    image.replaceWith(this.content);
    this.content.append(image);
    new ResizeObserver(() => this.#layout()).observe(scroller);
    this.#layout();
  }

  get scale(): number {
    return this.#scale;
  }

  get wholeScale(): number {
    return fitScale(this.#size, availableSize(this.options.scroller, this.content), 'page');
  }

  zoomTo(zoom: Zoom, from?: Point, to?: Point): void {
    this.#zoom = zoom;
    this.#layout(from, to);
  }

  #layout(from?: Point, to?: Point): void {
    const { scroller, image } = this.options;
    const room = availableSize(scroller, this.content);
    if (room.width <= 0 || room.height <= 0) return;
    const middle = { x: scroller.clientWidth / 2, y: scroller.clientHeight / 2 };
    const anchor = new ScrollAnchor(scroller, image, from ?? middle);
    const zoom = this.#zoom;
    this.#scale = 'fit' in zoom ? fitScale(this.#size, room, zoom.fit) : zoom.scale;
    image.style.width = `${Math.max(1, Math.floor(this.#size.width * this.#scale))}px`;
    anchor.hold(to);
    this.options.onScale(this);
  }
}

/**
 * The actual size. That of an SVG image with a shape but no size is as large as the screen, so that
 * it fills every window.
 */
function measure(image: HTMLImageElement): Size {
  const { naturalWidth, naturalHeight } = image;
  const probe = createElement('div', { className: 'picture-probe' });
  image.before(probe);
  probe.append(image);
  const { width: room } = probe.getBoundingClientRect();
  const { width, height } = image.getBoundingClientRect();
  probe.replaceWith(image);
  // Only an image without a size is as wide as its container. Its natural size is not portable.
  const isSized = Math.abs(width - room) > 1 || Math.abs(naturalWidth - room) <= 1;
  if (isSized || height === 0) return { width: naturalWidth || 300, height: naturalHeight || 150 };
  const scale = Math.max(screen.width, screen.height) / Math.max(width, height);
  return { width: width * scale, height: height * scale };
}

/** With `auto`, the whole image is visible, at most at its natural size. */
function fitScale(size: Size, room: Size, fit: Fit): number {
  const byWidth = room.width / size.width;
  const whole = Math.min(byWidth, room.height / size.height);
  if (fit === 'auto') return Math.min(1, whole);
  return fit === 'width' ? byWidth : whole;
}

export async function loadPicture(image: HTMLImageElement): Promise<LoadProblem | undefined> {
  try {
    await image.decode();
    return undefined;
  } catch {
    // The element only reports a failure; the server knows the reason.
    return findProblem(image.src);
  }
}

/** The reason why an element could not load its file. */
export async function findProblem(url: string): Promise<LoadProblem> {
  try {
    const { ok, status } = await fetch(url, { method: 'HEAD', cache: 'no-store' });
    return ok ? 'broken' : (finalProblemOf(status) ?? 'busy');
  } catch {
    return connectionProblem();
  }
}
