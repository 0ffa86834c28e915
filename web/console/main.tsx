/** Entry point of the console. */
import './mantine.css';
import './console.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { Console } from './console.tsx';

const place = document.getElementById('console');
if (place === null) throw new Error('the page has no place for the console');
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// The lock on scrolling behind a dialog writes styles, too.
setNonce(nonce);
createRoot(place).render(<Console nonce={nonce} />);
