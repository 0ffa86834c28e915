// Shows the OpenAPI document with Redoc, whose built file is a separate script.
import './docs.css';
import { dark, light } from './theme.ts';

const element = document.querySelector<HTMLElement>('#reference');
if (element === null) throw new Error('the page has no #reference');
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
const isDark = matchMedia('(prefers-color-scheme: dark)');
const hasBar = matchMedia('(max-width: 50rem)');
const barPixels = 48;

function show(spec: object, element: HTMLElement): void {
  const options = {
    nonce,
    theme: isDark.matches ? dark : light,
    hideLoading: true,
    scrollYOffset: () => (hasBar.matches ? barPixels : 0),
    nativeScrollbars: true,
    requiredPropsFirst: true,
    expandResponses: '200,201',
    jsonSampleExpandLevel: 3,
  };
  window.Redoc.init(spec, options, element, (error) => {
    if (error) showFailure(element);
  });
}

function loadRedoc(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = REDOC_FILE;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error('Redoc cannot be loaded'));
    document.head.append(script);
  });
}

function showFailure(element: HTMLElement): void {
  element.innerHTML = '<p class="notice">The API reference cannot be loaded. Reload the page.</p>';
}

try {
  const [response] = await Promise.all([fetch('/openapi.json'), loadRedoc()]);
  if (!response.ok) throw new Error(`status ${response.status}`);
  show(await response.json(), element);
  // Redoc reads its theme only once.
  isDark.addEventListener('change', () => location.reload());
} catch {
  showFailure(element);
}
