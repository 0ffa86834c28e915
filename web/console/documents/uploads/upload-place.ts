/** Where the files of an upload go. */
export type UploadPlace = {
  readonly workspaceId: string;
  /** The folder that gets new documents; unset for the top level. */
  readonly folderId?: string | undefined;
  /** The document that gets a new version; unset for a new document. */
  readonly documentId?: string | undefined;
  /** This document before the upload. `isSamePlace` ignores it. */
  readonly before?: { readonly contentType: string; readonly sha256: string } | undefined;
};

export const isSamePlace = (one: UploadPlace, other: UploadPlace): boolean =>
  one.workspaceId === other.workspaceId &&
  one.folderId === other.folderId &&
  one.documentId === other.documentId;
