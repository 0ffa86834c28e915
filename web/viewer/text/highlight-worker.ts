/** Marks the syntax of code. A worker, so that it can be stopped. */
import hljs from 'highlight.js/lib/common';

addEventListener('message', ({ data }: MessageEvent<{ text: string; language: string }>) => {
  const { text, language } = data;
  const isKnown = hljs.getLanguage(language) !== undefined;
  postMessage(isKnown ? hljs.highlight(text, { language, ignoreIllegals: true }).value : undefined);
});
