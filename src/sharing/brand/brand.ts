// The brand of a workspace, as readers of its links see it.
import { type MailBody, type MailPart, renderMail } from '../../base/mail/mail-body.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { type AccentColors, accentColorsOf } from './colors.ts';
import { findBrand } from './store.ts';

export type Brand = {
  readonly workspaceName: string;
  readonly colors: AccentColors | undefined;
  readonly logoPath: string;
  readonly logoUrl: string;
};

export type Brands = {
  /** `origin`: where readers load the logo. By default, the service's own. */
  of(workspaceId: string, origin?: string): Promise<Brand>;
  logoUrlOf(logoId: string): string;
  renderMail(brand: Brand, parts: readonly MailPart[]): MailBody;
};

export function createBrands(db: Database, publicUrl: string): Brands {
  const logoPathOf = (logoId: string) => (logoId === '' ? '' : `/logos/${logoId}`);
  return {
    async of(workspaceId, origin = publicUrl) {
      const {
        name = '',
        accent_color = '',
        logo_id = '',
      } = (await findBrand(db, workspaceId)) ?? {};
      return {
        workspaceName: name,
        colors: accent_color === '' ? undefined : accentColorsOf(accent_color),
        logoPath: logoPathOf(logo_id),
        logoUrl: logo_id === '' ? '' : origin + logoPathOf(logo_id),
      };
    },
    logoUrlOf: (logoId) => (logoId === '' ? '' : publicUrl + logoPathOf(logoId)),
    renderMail: ({ workspaceName: name, colors, logoUrl }, parts) =>
      renderMail({ name, colors, logoUrl }, parts),
  };
}
