// The content types that LibreOffice converts, with the extension by which it selects its filter.
// The migration that adds the previews has the same types.

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

/** Returns undefined for a type that does not become PDF. */
export const officeExtensionOf = (contentType: string) => officeTypes.get(contentType);
