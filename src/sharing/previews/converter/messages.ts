// The messages between the converter and its program.
import type { ConversionError } from './conversion-errors.ts';

export type ProgramSettings = {
  /** The path of `soffice`. */
  readonly command: string;
  readonly isIsolated: boolean;
  /** Folders that LibreOffice must not read; only with isolation. */
  readonly hidden: readonly string[];
  readonly limits: ConversionLimits;
};

export type ConversionLimits = {
  readonly seconds: number;
  readonly memoryBytes: number;
  readonly previewBytes: number;
  /** The files and folders that LibreOffice adds, and their space on the disk. */
  readonly temporaryFiles: number;
  readonly temporaryBytes: number;
};

/** The file to convert is in the folder that the answer `ready` names. */
export type ConversionOrder = { readonly kind: 'convert'; readonly fileName: string };

export type ConversionAnswer =
  | { readonly kind: 'ready'; readonly folder: string }
  | { readonly kind: 'converted'; readonly file: string; readonly sizeBytes: number }
  | { readonly kind: 'failed'; readonly error: ConversionError }
  /** LibreOffice does not start. */
  | { readonly kind: 'unavailable' };
