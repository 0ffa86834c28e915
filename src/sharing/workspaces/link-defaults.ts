// The options that the console preselects for a new link, in messages and in the column
// `workspaces.link_defaults`.
import type { LinkDefaults } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';

type Defaults = Omit<LinkDefaults, '$typeName' | '$unknown'>;

const ofNewWorkspace: Defaults = {
  emailRequired: true,
  emailVerificationRequired: false,
  allowDownload: false,
  expireDays: 0,
  watermark: false,
  programAccess: false,
};

export function storeLinkDefaults(defaults: LinkDefaults | undefined): string {
  if (defaults === undefined) return '';
  const { emailVerificationRequired, allowDownload, expireDays, watermark, programAccess } =
    defaults;
  const emailRequired = defaults.emailRequired || emailVerificationRequired;
  const gate = { emailRequired, emailVerificationRequired };
  const stored: Defaults = { ...gate, allowDownload, expireDays, watermark, programAccess };
  return JSON.stringify(stored);
}

export const readLinkDefaults = (text: string): Defaults =>
  text === '' ? ofNewWorkspace : { ...ofNewWorkspace, ...(JSON.parse(text) as Partial<Defaults>) };
