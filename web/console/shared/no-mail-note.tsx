import { Alert } from '@mantine/core';

/** The service writes into the HTML whether it has a mail server. */
export const sendsMail = () =>
  document.querySelector<HTMLMetaElement>('meta[name="sends-mail"]')?.content !== 'false';

/** Shown where a person waits for a mail that does not arrive. */
export function NoMailNote() {
  return sendsMail() ? null : (
    <Alert title="This server sends no email">
      Emails are stored on the server, in its folder “outbox”. An administrator can set up a mail
      server.
    </Alert>
  );
}

/** The message after a link was mailed or, without a mail server, stored. */
export const linkSentText = () =>
  sendsMail() ? 'Link sent' : 'Link stored in the folder “outbox” of the server';
