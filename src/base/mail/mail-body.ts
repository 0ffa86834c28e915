// The body of a mail, as plain text and as HTML.

import { type Html, html } from '../http/html.ts';
import { mailName } from '../net/mail-name.ts';

export type MailPart =
  | { readonly text: string }
  | { readonly note: string }
  | { readonly code: string }
  | { readonly quote: readonly string[] }
  | { readonly lines: readonly (string | LinkedLine)[] }
  | { readonly label: string; readonly url: string };

export type LinkedLine = { readonly line: string; readonly url: string };

export type MailSender = {
  readonly name: string;
  readonly colors: { readonly accent: string; readonly ink: string } | undefined;
  readonly logoUrl: string;
};

export type MailBody = { readonly text: string; readonly html: string };

const widthMax = 72;

export function renderMail(sender: MailSender, parts: readonly MailPart[]): MailBody {
  return {
    text: mailText(parts),
    html: page(sender, parts).text,
  };
}

/** Breaks lines at `width`, by default for mail programs that do not. */
export const mailText = (parts: readonly MailPart[], width = widthMax): string =>
  `${parts.map((part) => textOf(part, width)).join('\n\n')}\n`;

function textOf(part: MailPart, width: number): string {
  if ('text' in part) return wrap(part.text, width);
  if ('note' in part) return wrap(part.note, width);
  if ('quote' in part) return part.quote.map((line) => quoted(line, width)).join('\n');
  if ('code' in part) return `Your code is ${part.code}`;
  if ('lines' in part) return part.lines.map(lineOf).join('\n');
  return `${part.label}:\n${part.url}`;
}

const lineOf = (item: string | LinkedLine) =>
  typeof item === 'string' ? `- ${item}` : `- ${item.line}\n  ${item.url}`;

const quoted = (line: string, width: number) =>
  wrap(line, width - 2)
    .split('\n')
    .map((part) => `> ${part}`.trimEnd())
    .join('\n');

function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

// Mail programs support only inline styles reliably.
const styles = {
  body: 'margin:0;padding:24px;background:#f4f5f7;color:#1a2330;font:16px/1.5 system-ui,sans-serif',
  card:
    'max-width:480px;margin:0 auto;padding:24px;background:#ffffff;border-radius:12px;' +
    'overflow-wrap:anywhere',
  code: 'margin:16px 0;font:600 28px/1.3 ui-monospace,monospace;letter-spacing:4px',
  text: 'margin:16px 0',
  quote: 'margin:16px 0;padding:0 0 0 12px;border-left:3px solid #d8dde4;white-space:pre-line',
  list: 'margin:16px 0;padding-left:24px',
  link: 'color:#1a2330',
  note: 'margin:16px 0 0;color:#566273;font-size:14px',
  logo: 'max-width:200px;max-height:48px',
  name: 'margin:0 0 16px;font-weight:600',
};

function page({ name, colors, logoUrl }: MailSender, parts: readonly MailPart[]): Html {
  const { accent, ink } = colors ?? { accent: '#1d5bb8', ink: '#ffffff' };
  const button =
    `display:inline-block;padding:10px 16px;border-radius:8px;background:${accent};` +
    `color:${ink};text-decoration:none;font-weight:500`;
  const head =
    logoUrl === ''
      ? html`<p style="${styles.name}">${mailName(name)}</p>`
      : html`<img src="${logoUrl}" alt="${mailName(name)}"
style="${styles.logo}">`;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="${styles.body}">
<div style="${styles.card};border-top:4px solid ${accent}">
${head}
${parts.map((part) => htmlOf(part, button))}</div>
</body>
</html>
`;
}

function htmlOf(part: MailPart, button: string): Html {
  if ('text' in part) return html`<p style="${styles.text}">${part.text}</p>\n`;
  if ('note' in part) return html`<p style="${styles.note}">${part.note}</p>\n`;
  if ('code' in part) return html`<p style="${styles.code}">${part.code}</p>\n`;
  if ('quote' in part) {
    return html`<blockquote style="${styles.quote}">${part.quote.join('\n')}</blockquote>\n`;
  }
  if ('lines' in part) {
    const items = part.lines.map((item) =>
      typeof item === 'string'
        ? html`<li>${item}</li>`
        : html`<li><a href="${item.url}" style="${styles.link}">${item.line}</a></li>`,
    );
    return html`<ul style="${styles.list}">${items}</ul>\n`;
  }
  return html`<p style="${styles.text}">
<a href="${part.url}" style="${button}">${part.label}</a></p>\n`;
}
