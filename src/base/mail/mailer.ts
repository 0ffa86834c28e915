// The interface for sending mail.

export type Mail = {
  /** A single address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same content as HTML. */
  readonly html?: string;
};

export type Mailer = {
  /** Resolves when the mail was handed over. Throws `unavailable` if that fails. */
  send(mail: Mail): Promise<void>;
};

export type OpenMailer = Mailer & {
  /** Abandons the mails in progress. */
  stop(): void;
};
