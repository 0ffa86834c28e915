// The forms of a link's gate. They tell nothing of the document, and need no script.
import { type Html, html } from '../../http/html.ts';
import type { Step } from './entrance.ts';

export type Form = {
  readonly step: Step;
  /** Whether the address has to be proven with a code. */
  readonly isProven: boolean;
  /** The address that was given, or that the code went to. */
  readonly email: string;
  /** What was wrong. */
  readonly error?: string;
  /** What was done. */
  readonly notice?: string;
};

export function formBody(form: Form): Html {
  return html`<body class="plain"><main class="card">
${bodies[form.step](form)}
</main></body>`;
}

const bodies: Record<Step, (form: Form) => Html> = {
  password: (form) => html`<h1>The password, please</h1>
<p>The sender has protected the document with a password.</p>
<form method="post" class="gate">${alertOf(form)}
<label>Password
<input type="password" name="password" autocomplete="current-password" maxlength="1024"
required autofocus${described(form)}></label>
<button>Continue</button>
</form>`,

  email: (form) => html`<h1>Your e-mail address, please</h1>
<p>The sender asks for it before the document is shown, and gets to see it.${
    form.isProven ? ' A code is sent to it, to make sure that it is yours.' : ''
  }</p>
<form method="post" class="gate">${alertOf(form)}
<label>E-mail address
<input type="email" name="email" autocomplete="email" maxlength="254" value="${form.email}"
required autofocus${described(form)}></label>
<button>Continue</button>
</form>`,

  code: (form) => html`<h1>Check your e-mail</h1>
<p>A code of six digits was sent to <strong>${form.email}</strong>. It is good for 10 minutes.
If you do not find it, look into the spam folder, too.</p>
${form.notice === undefined ? undefined : html`<p role="status">${form.notice}</p>`}
<form method="post" class="gate">${alertOf(form)}
<label>Code
<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="16"
required autofocus${described(form)}></label>
<button>Continue</button>
</form>
<form method="post" class="instead">
<button name="code" value="again">Send a new code</button>
<button name="code" value="other">Use another address</button>
</form>`,
};

function alertOf({ error }: Form): Html | undefined {
  if (error === undefined) return undefined;
  return html`<p class="error" id="error" role="alert">${error}</p>`;
}

function described({ error }: Form): Html | undefined {
  return error === undefined ? undefined : html` aria-describedby="error" aria-invalid="true"`;
}
