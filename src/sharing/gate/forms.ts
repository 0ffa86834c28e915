// The forms of a link's gate. They reveal nothing about the document and need no script.
import { type Html, html } from '../../http/html.ts';
import type { GateStep } from './gate-steps.ts';

export type GateForm = {
  readonly step: GateStep;
  /** Whether the visitor has to verify the address with a code. */
  readonly requiresVerification: boolean;
  /** The address that the visitor entered. */
  readonly email: string;
  readonly error?: string;
  /** Confirms an action. */
  readonly notice?: string;
};

export function renderGateForm(form: GateForm): Html {
  return html`<body class="plain"><main class="card">
${bodies[form.step](form)}
</main></body>`;
}

const bodies: Record<GateStep, (form: GateForm) => Html> = {
  password: (form) => html`<h1>Enter the password to view this document</h1>
<p>The sender protected this document with a password.</p>
<form method="post" class="gate">${alertOf(form)}
<label>Password
<input type="password" name="password" autocomplete="current-password" maxlength="1024"
required autofocus${described(form)}></label>
<button>Continue</button>
</form>`,

  email: (form) => html`<h1>Enter your e-mail to view this document</h1>
<p>The sender will see your e-mail address.${
    form.requiresVerification ? ' You will get a code to verify it.' : ''
  }</p>
<form method="post" class="gate">${alertOf(form)}
<label>E-mail address
<input type="email" name="email" autocomplete="email" maxlength="254" value="${form.email}"
required autofocus${described(form)}></label>
<button>Continue</button>
</form>`,

  code: (form) => html`<h1>Check your e-mail</h1>
<p>Enter the 6-digit code from our newest e-mail to <strong>${form.email}</strong>. The code expires
after 10 minutes. If you cannot find it, check your spam folder.</p>
${form.notice === undefined ? undefined : html`<p role="status">${form.notice}</p>`}
<form method="post" class="gate">${alertOf(form)}
<label>Code
<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="16"
required autofocus${described(form)}></label>
<button>Continue</button>
</form>
<form method="post" class="instead">
<button name="code" value="again">Send new code</button>
<button name="code" value="other">Use another e-mail</button>
</form>`,
};

function alertOf({ error }: GateForm): Html | undefined {
  if (error === undefined) return undefined;
  return html`<p class="error" id="error" role="alert">${error}</p>`;
}

function described({ error }: GateForm): Html | undefined {
  return error === undefined ? undefined : html` aria-describedby="error" aria-invalid="true"`;
}
