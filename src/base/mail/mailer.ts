// The interface for sending mail.

export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
};

export type Mailer = {
  /** Resolves when the mail was handed over. Throws `unavailable` if that fails. */
  send(mail: Mail): Promise<void>;
};

export type OpenMailer = Mailer & {
  stop(): void;
};
