// The types of files that the service converts to PDF.

// LibreOffice selects its filter by the extension. The migration of previews has the same types.

const openXml = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';

const officeTypes: ReadonlyMap<string, string> = new Map([
  ['application/msword', 'doc'],
  ['application/rtf', 'rtf'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  [`${openDocument}.presentation`, 'odp'],
  [`${openDocument}.spreadsheet`, 'ods'],
  [`${openDocument}.text`, 'odt'],
  [`${openXml}.presentationml.presentation`, 'pptx'],
  [`${openXml}.presentationml.slideshow`, 'ppsx'],
  [`${openXml}.spreadsheetml.sheet`, 'xlsx'],
  [`${openXml}.wordprocessingml.document`, 'docx'],
]);

/** Returns undefined for a type that LibreOffice does not convert. */
export const officeExtensionOf = (contentType: string) => officeTypes.get(contentType);

// The types of files that can have a watermark. The result is a PDF.

const stampableTypes: readonly string[] = ['application/pdf', 'image/jpeg', 'image/png'];

export const isStampable = (contentType: string) => stampableTypes.includes(contentType);

/** Whether the type can be stamped, or the preview of an Office file can be. */
export const mayBeStampable = (contentType: string) =>
  isStampable(contentType) || officeExtensionOf(contentType) !== undefined;

export const pdfNameOf = (name: string) => `${name.replace(/\.[a-z]{3,4}$/i, '')}.pdf`;
