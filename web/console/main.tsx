/** Entry point of the console. */
import './mantine.css';
import './console.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { createPolicy } from '../viewer/shell/trusted-types.ts';
import { Console } from './console.tsx';
import { sessionMarker } from './session/session-marker.ts';
import { preloadFrame } from './shell/shell.tsx';

const container = document.getElementById('console');
if (container === null) throw new Error('the document has no #console element');
// Mantine writes the text of style elements as markup. Only texts that create no element pass.
createPolicy('default', {
  createHTML(text: string) {
    if (!text.includes('<')) return text;
    throw new TypeError('the text contains markup');
  },
});
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// The scroll lock of dialogs writes styles and needs the nonce as well.
setNonce(nonce);
if (sessionMarker.isSet()) preloadFrame();
createRoot(container).render(<Console nonce={nonce} />);
