/** A document or a folder that links open. */
export type ShareTarget = {
  readonly workspaceId: string;
  readonly id: string;
  readonly name: string;
  /** Whether the viewer shows the document. Undefined if not known yet, and for a folder. */
  readonly viewable?: boolean;
};

type IdField = { readonly documentId?: string; readonly folderId?: string };

/** The field of a request that names the target. */
export const idFieldOf = ({ id }: Pick<ShareTarget, 'id'>): IdField =>
  id.startsWith('fld_') ? { folderId: id } : { documentId: id };
