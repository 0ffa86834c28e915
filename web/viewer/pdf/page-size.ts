/** Sizes of pages at 100 %, and the scales that fit them into the window. */
import type { PageViewport, PDFPageProxy } from 'pdfjs-dist';
import type { PDFPageView } from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';
import type { Fit, Size } from '../shell/zoom.ts';

/** Portrait pages never grow beyond this multiple of their paper size. */
const portraitScaleMax = 1.25;

/** In CSS pixels at 100 %, as rotated. */
export function pageSize({ width, height, scale }: PDFPageView): Size {
  return { width: width / scale, height: height / scale };
}

export function isLandscape({ width, height }: Size): boolean {
  return width > height;
}

/** With `auto`, a landscape page fits as a whole and a portrait page by width. */
export function fitScale(size: Size, room: Size, fit: Fit): number {
  const byWidth = room.width / size.width;
  const whole = Math.min(byWidth, room.height / size.height);
  if (fit === 'auto' && !isLandscape(size)) return Math.min(byWidth, portraitScaleMax);
  return fit === 'width' ? byWidth : whole;
}

type SmallSize = { readonly width: number; readonly rotation: number };

export function fitCanvas(
  canvas: HTMLCanvasElement,
  page: PDFPageProxy,
  { width, rotation }: SmallSize,
): PageViewport {
  const paper = page.getViewport({ scale: 1, rotation });
  const scale = (width * devicePixelRatio) / paper.width;
  canvas.style.aspectRatio = String(paper.width / paper.height);
  canvas.width = Math.floor(paper.width * scale);
  canvas.height = Math.floor(paper.height * scale);
  return page.getViewport({ scale, rotation });
}
