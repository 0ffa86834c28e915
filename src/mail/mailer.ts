// What the other parts know of mail.

export type Mail = {
  /** A single address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
};

export type Mailer = {
  /** Resolves once the mail was handed over; throws `unavailable` where it cannot be. */
  send(mail: Mail): Promise<void>;
};

export type OpenMailer = Mailer & {
  /** Gives up on the mails that are under way. */
  stop(): void;
};
