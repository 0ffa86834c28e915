/** Turns the rules that the API reports for a field into advice for the person who filled it in. */

export const missingAdvice = 'Fill in this field.';

type Advice = readonly [rule: RegExp, advice: string];

const advices: readonly Advice[] = [
  [/^(?:must be at least 1 character|is required)$/, missingAdvice],
  [/^must contain a visible character$/, 'Enter at least one visible character.'],
  [/^must be at least (\d+) characters$/, 'Enter at least $1 characters.'],
  [/^must be at most (\d+) characters$/, 'Enter at most $1 characters.'],
  [/^must be an email address$/, 'Enter an email address, such as name@example.com.'],
  [/^must be in the future$/, 'Choose a time in the future.'],
  [/^must be a date and a time$/, 'Enter a date and a time.'],
  [/^must not be a common password$/, 'This password is easy to guess. Choose another one.'],
  [/^must not contain the email address$/, 'Choose a password without your email address.'],
  [/^must not repeat a single character$/, 'Choose a password with different characters.'],
  [/^must not contain control characters$/, 'Remove the line breaks and control characters.'],
  [/^is wrong$/, 'This password is wrong.'],
  [/^is not the current code$/, 'The code is wrong or has expired. Enter the current code.'],
];

/** The advice for a rule, or the rule itself. */
export function adviceFor(rule: string): string {
  const found = advices.find(([pattern]) => pattern.test(rule));
  return found === undefined ? rule : rule.replace(...found);
}
