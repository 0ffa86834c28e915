// Warns about links that open nothing, on the standard error.
import type { JsonObject } from '@bufbuild/protobuf';
import type { CommandHost } from '../base/command.ts';

/** `link`: as JSON. */
export function warnAboutLink({ warnings, watermark }: JsonObject, host: CommandHost): void {
  if (!Array.isArray(warnings) || !warnings.includes('LINK_WARNING_NOTHING_TO_OPEN')) return;
  const reason =
    watermark === true
      ? 'A watermark needs a PDF, Office, JPEG or PNG file. Share it without --watermark.'
      : 'Browsers cannot show this type of file. Share it with --allow-download.';
  host.stderr.write(`Readers cannot open the document. ${reason}\n`);
}
