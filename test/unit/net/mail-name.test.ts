import { describe, expect, it } from 'vitest';
import { mailAddress, mailName, shortName } from '../../../src/base/net/mail-name.ts';
import { itHoldsFor } from '../../support/rule.ts';

describe('a name in a mail', () => {
  itHoldsFor([
    'Acme Inc.',
    'Plan.pdf',
    'Plan v1.2.pdf',
    'Q3/Q4 report (final).DOCX',
    'St. John: the plan',
    '10:30 briefing',
    'Ada & Grace…',
    '👩‍💻 team',
  ])('is shown as it is', (name) => {
    expect(mailName(name)).toBe(name);
  });

  itHoldsFor([
    ['evil.com', 'evil. com'],
    ['Visit www.evil.co.uk now', 'Visit www. evil. co. uk now'],
    ['https://evil.com/x.pdf', 'https: //evil. com/x.pdf'],
    ['http://localhost', 'http: //localhost'],
    ['evil.pdf.com', 'evil. pdf. com'],
    ['evil.1.com', 'evil.1. com'],
    ['me@evil.com', 'me@evil. com'],
    ['plan.zip', 'plan. zip'],
    ['evil.pdf-site.com', 'evil. pdf-site. com'],
    ['evil.com\u200b and \u00adothers', 'evil. com and others'],
  ])('cannot become a link', (name, shown) => {
    expect(mailName(name)).toBe(shown);
  });

  it('is shortened, and whole in a subject', () => {
    expect(shortName('evil.com\r\nPlan')).toBe('evil.com Plan');
    expect([...shortName('😀'.repeat(300))]).toHaveLength(101);
  });
});

it('an email address in a mail can be copied, unless it looks like a website', () => {
  for (const email of ["ada.o'neil+x@mail.example.com", '$~{a}_*^b@example.com']) {
    expect(mailAddress(email)).toBe(email);
  }
  for (const email of [
    'www.evil.com/login?x=@a.co',
    'www.evil.com@a.co',
    'evil.com/x@a.co',
    'evil.com?x@a.co',
  ]) {
    expect(mailAddress(email)).not.toMatch(/\.co/);
  }
});
