// The row types of notices about views; schema.ts describes how values are stored.

/** The views of a link that its creator has not been mailed about. */
export type LinkNoticeRow = {
  link_id: string;
  /** The number of views since the last mail. */
  views: number;
  /** When the next mail is due; null if there are no views. */
  due_time: number | null;
  /** Failed attempts to send the mail. */
  attempts: number;
  /** The number of mails so far. It shows whether another process has sent the mail. */
  mails: number;
  /** The last of all views for a mail; null after a change of mails. */
  view_id: string | null;
};

/** Until when a user has read the notices of a workspace. */
export type NoticeReadRow = {
  workspace_id: string;
  user_id: string;
  read_time: number;
};

export type NoticeTables = {
  link_notices: LinkNoticeRow;
  notice_reads: NoticeReadRow;
};
