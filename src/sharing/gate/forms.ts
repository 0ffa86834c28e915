// The forms of a link's gate. They reveal nothing about the document but its title, if the link
// shows it. They need no script: a script only submits a complete code
// and formats an agreement.
import { type Html, html } from '../../base/http/html.ts';
import type { GateStep } from './gate-steps.ts';
import { logoOf, type Presentation } from './presentation.ts';
import { rememberedDays } from './remembered-readers.ts';

export type GateForm = {
  readonly step: GateStep;
  readonly steps: readonly GateStep[];
  readonly requiresVerification: boolean;
  readonly hasAgreement: boolean;
  readonly isRemembered: boolean;
  readonly email: string;
  readonly error?: string;
  /** The text that the visitor must accept, and its digest. */
  readonly agreement: { readonly text: string; readonly sha256: string };
  readonly notice?: string;
};

export function renderGateForm(form: GateForm, presentation: Presentation): Html {
  const { brand, title } = presentation;
  const logo = logoOf(brand);
  const sender = html`<bdi>${brand.workspaceName}</bdi>`;
  return html`<body class="plain"><main class="card${logo === undefined ? '' : ' branded'}">
${logo}
<header class="shared"><h1>${title}</h1>
<p>Shared by ${sender}</p>${progressOf(form)}</header>
${bodies[form.step](form, sender)}
</main></body>`;
}

/** None for remembered readers, who skip steps. */
function progressOf({ step, steps, isRemembered }: GateForm): Html | undefined {
  if (steps.length === 1 || isRemembered) return undefined;
  return html`\n<p>Step ${steps.indexOf(step) + 1} of ${steps.length}</p>`;
}

/** Drawn over the field. A code has six digits. */
const codeBoxes = html`<i></i><i></i><i></i><i></i><i></i><i></i>`;

const bodies: Record<GateStep, (form: GateForm, sender: Html) => Html> = {
  password: (form) => html`<form method="post" class="gate">${alertOf(form)}
<label>Password
<input type="password" name="password" autocomplete="current-password" maxlength="1024"
required autofocus aria-describedby="${describing(form)}"${invalidIf(form)}></label>
<p class="why" id="why">The sender protected this link with a password.</p>
<button>Continue</button>
</form>`,

  email: (form, sender) => html`<form method="post" class="gate">${alertOf(form)}
<label>Email address
<input type="email" name="email" autocomplete="email" maxlength="254" value="${form.email}"
required autofocus aria-describedby="${describing(form)}"${invalidIf(form)}></label>
<p class="why" id="why">${sender} will see your address.${codeNoteOf(form)}</p>
${form.requiresVerification && !form.isRemembered ? rememberField(sender) : undefined}
<button>Continue</button>
</form>${form.isRemembered ? forgetForm : undefined}`,

  code: (form) => html`<p>Enter the 6-digit code from our newest <span class="word">email</span> to
<strong>${form.email}</strong>.</p>
${form.notice === undefined ? undefined : html`<p role="status">${form.notice}</p>`}
<form method="post" class="gate">${alertOf(form)}
<label>Code
<span class="digits">
<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="16"
required autofocus aria-describedby="${describing(form)}"${invalidIf(form)}>${codeBoxes}
</span></label>
<p class="why" id="why">The code expires after 10 minutes. If you can’t find it, check your spam
folder.</p>
<button>Continue</button>
</form>
<form method="post" class="instead">
<button name="code" value="again">Send new code</button>
<button name="code" value="other">Use another email</button>
</form>`,

  agreement: (form, sender) => html`<p>${sender} asks you to accept this agreement first.</p>
<section class="agreement" id="agreement" tabindex="0" aria-label="Agreement">
<pre>${form.agreement.text}</pre></section>
<form method="post" class="gate">${alertOf(form)}
<label class="accept"><input type="checkbox" name="agreement" value="${form.agreement.sha256}"
required aria-describedby="${describing(form)}"> I accept the agreement</label>
<p class="why" id="why">We record your address <strong>${form.email}</strong>, the time and the
text, and email you a receipt.</p>
<button>Continue</button>
</form>`,
};

function codeNoteOf({ requiresVerification, isRemembered, hasAgreement }: GateForm): string {
  if (!requiresVerification) return '';
  if (!isRemembered) return ' You’ll get a code to verify it.';
  return hasAgreement
    ? ' This device remembers you. You only need a code to accept a new agreement.'
    : ' This device remembers you, so you need no code.';
}

const rememberField = (sender: Html) => html`<label class="accept">
<input type="checkbox" name="remember" value="yes" aria-describedby="remember">
Remember me on this device</label>
<p class="why" id="remember">For ${rememberedDays} days, other links from ${sender} won’t ask for
a code in this browser.</p>`;

const forgetForm = html`
<form method="post" class="instead">
<button name="forget" value="yes">Forget me on this device</button>
</form>`;

function alertOf({ error }: GateForm): Html | undefined {
  if (error === undefined) return undefined;
  return html`<p class="error" id="error" role="alert">${error}</p>`;
}

const describing = ({ error }: GateForm) => (error === undefined ? 'why' : 'error why');

const invalidIf = ({ error }: GateForm) =>
  error === undefined ? undefined : html` aria-invalid="true"`;
