/** Entry point of the console. */
import './mantine.css';
import './console.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { Console } from './console.tsx';

const container = document.getElementById('console');
if (container === null) throw new Error('the document has no #console element');
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// The scroll lock of dialogs writes styles and needs the nonce as well.
setNonce(nonce);
createRoot(container).render(<Console nonce={nonce} />);
