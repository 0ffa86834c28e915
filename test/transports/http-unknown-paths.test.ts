// The answers of HTTP for `/` and for paths that do not exist, to browsers and to API clients.
import { expect, it } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';

/** The Accept header of Chromium. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describeAppOnSqlite('HTTP', (suite) => {
  const get = (path: string, accept: string, method = 'GET') =>
    fetch(suite.app.publicUrl + path, { method, headers: { accept }, redirect: 'manual' });

  it('redirects a browser from / to the console', async () => {
    const answer = await get('/', browser);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/console');
    expect(answer.headers.get('vary')).toBe('accept');
  });

  it('answers / with a problem for an API client', async () => {
    const answer = await get('/', '*/*');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
  });

  it('answers an unknown path with HTML for a browser', async () => {
    const answer = await get('/no/such/path', browser);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('vary')).toBe('accept');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(await answer.text()).toContain('Page not found');
    const head = await get('/no/such/path', browser, 'HEAD');
    expect([head.status, await head.text()]).toEqual([404, '']);
  });

  it('answers an unknown path with a problem for an API client', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      const answer = await get('/no/such/path', accept);
      expect(answer.headers.get('content-type'), accept).toBe('application/problem+json');
      expect(await answer.json()).toMatchObject({ code: 'not_found', status: 404 });
    }
    // A form of a browser is not a visit of a page.
    const posted = await get('/no/such/path', browser, 'POST');
    expect(posted.headers.get('content-type')).toBe('application/problem+json');
  });

  it('answers with a problem if a document of the API does not exist', async () => {
    const authorization = `Bearer ${suite.testApp.env.API_KEY}`;
    const url = `${suite.app.publicUrl}/api/v1/documents/doc_unknown`;
    const answer = await fetch(url, { headers: { accept: browser, authorization } });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });
});
