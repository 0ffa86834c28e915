// The types of files that can have a watermark. The result is a PDF.
import { officeExtensionOf } from './office-types.ts';

const stampableTypes: readonly string[] = ['application/pdf', 'image/jpeg', 'image/png'];

export const isStampable = (contentType: string) => stampableTypes.includes(contentType);

/** Whether the type can be stamped, or the preview of an Office file can be. */
export const mayBeStampable = (contentType: string) =>
  isStampable(contentType) || officeExtensionOf(contentType) !== undefined;

/** Replaces the extension of a file that was converted to PDF. */
export const pdfNameOf = (name: string) => `${name.replace(/\.[a-z]{3,4}$/i, '')}.pdf`;
