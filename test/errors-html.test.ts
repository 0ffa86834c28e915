// The HTML that explains the error codes to people.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogue } from '../src/base/errors/catalogue.ts';
import { startTestApp, type TestApp } from './support/harness.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.remove());

it('has the cause and the remedy of each code where the type of a problem points', async () => {
  const response = await fetch(`${test.app.publicUrl}/errors`);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const sections = (await response.text()).split('<section id="').slice(1);
  const found = sections.map((section) => [
    section.slice(0, section.indexOf('"')),
    section
      .replaceAll(/<\/?code>/g, '`')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"'),
  ]);
  expect(found.map(([code]) => code)).toEqual(Object.keys(catalogue));
  for (const [code, section] of found) {
    const { cause, remedy, status, title } = catalogue[code as keyof typeof catalogue];
    expect(section).toContain(`${title} · HTTP ${status}`);
    expect(section).toContain(`<dd>${cause}</dd>`);
    expect(section).toContain(`<dd>${remedy}</dd>`);
  }
});
