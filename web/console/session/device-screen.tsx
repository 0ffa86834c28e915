/** Deciding about a command-line sign-in. The command line shows a code and this address. */
import { Alert, Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import {
  type FindDeviceSignInResponse,
  SessionService,
} from '../../../gen/latchkey/identity/v1/session_pb.js';
import { SecondFactorScreen } from '../account/second-factor-screen.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FactList } from '../shared/facts.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { withStorage } from '../shared/with-storage.ts';
import { OneForm } from './one-form.tsx';
import { isLimited } from './second-factor.ts';
import { useSessionState, useSignIn, useUser } from './session-context.tsx';
import { SignInSteps } from './sign-in-steps.tsx';
import { SignedOutPage, useLinkToken } from './signed-out-page.tsx';
import { StepUpDialog } from './step-up-dialog.tsx';

const keptName = 'latchkey device code';

/** The server keeps a code for this time. */
const keptMs = 10 * 60_000;

/** Keeps the code of the link while the tab shows the pages of an identity provider. */
const keptCode = {
  set: (code: string) =>
    withStorage('sessionStorage', (kept) => kept.setItem(keptName, `${Date.now()} ${code}`)),
  take(): string {
    return (
      withStorage('sessionStorage', (kept) => {
        const [time = '', code = ''] = (kept.getItem(keptName) ?? '').split(' ');
        kept.removeItem(keptName);
        return Date.now() - Number(time) < keptMs ? code : '';
      }) ?? ''
    );
  },
};

export function DeviceScreen() {
  const code = useLinkToken();
  const state = useSessionState();
  const isSignedIn = state.status === 'in';
  useEffect(() => {
    if (!isSignedIn && code !== '') keptCode.set(code);
  }, [isSignedIn, code]);
  if (!isSignedIn) {
    return (
      <SignedOutPage title="Sign in">
        <Text role="status">Sign in to approve the command-line sign-in.</Text>
        {/* The address contains no code, because an identity provider redirects to it. */}
        <SignInSteps next="/console/device" hasAutoFocus={false} />
      </SignedOutPage>
    );
  }
  if (isLimited(state.user)) return <SecondFactorScreen />;
  return (
    <>
      {/* Another link in the same tab starts again. */}
      <Steps key={code} linkedCode={code} />
      <StepUpDialog />
    </>
  );
}

type Outcome = 'approved' | 'denied';

function Steps({ linkedCode }: { readonly linkedCode: string }) {
  const [asking, setAsking] = useState<FindDeviceSignInResponse>();
  const [outcome, setOutcome] = useState<Outcome>();
  if (outcome !== undefined) return <Result outcome={outcome} />;
  if (asking === undefined) return <CodeStep linkedCode={linkedCode} onFound={setAsking} />;
  return <Decision program={asking} onDone={setOutcome} onLeave={() => setAsking(undefined)} />;
}

type CodeStepProps = {
  readonly linkedCode: string;
  readonly onFound: (program: FindDeviceSignInResponse) => void;
};

function CodeStep({ linkedCode, onFound }: CodeStepProps) {
  const find = useMethod(SessionService.method.findDeviceSignIn);
  const [keptOne] = useState(keptCode.take);
  const field = useRef<HTMLInputElement>(null);
  // A parent focuses its heading after its children have rendered.
  useEffect(() => {
    const timer = setTimeout(() => field.current?.focus());
    return () => clearTimeout(timer);
  }, []);
  return (
    <SignedOutPage title="Sign in on the command line">
      <OneForm
        label="Continue"
        submit={async (text) => {
          onFound(await find({ userCode: text('code') }));
        }}
      >
        <TextInput
          ref={field}
          name="code"
          label="Code"
          description="The 8 letters that the command line shows."
          defaultValue={linkedCode || keptOne}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={32}
          required
          classNames={{ input: 'mono' }}
        />
      </OneForm>
      <OwnAccount />
    </SignedOutPage>
  );
}

type DecisionProps = {
  readonly program: FindDeviceSignInResponse;
  readonly onDone: (outcome: Outcome) => void;
  readonly onLeave: () => void;
};

function Decision({ program, onDone, onLeave }: DecisionProps) {
  const { email } = useUser();
  const approve = useMethod(SessionService.method.approveDeviceSignIn);
  const deny = useMethod(SessionService.method.denyDeviceSignIn);
  const approval = usePendingAction();
  const denial = usePendingAction();
  const error = approval.error ?? denial.error;
  const isPending = approval.isPending || denial.isPending;
  const { userCode, browser, device, address, createTime } = program;
  const onApprove = async () => {
    denial.clearError();
    if (await approval.run(() => approve({ userCode }))) onDone('approved');
  };
  const onDeny = async () => {
    approval.clearError();
    if (await denial.run(() => deny({ userCode }))) onDone('denied');
  };
  return (
    <SignedOutPage title="Approve this sign-in?">
      <Text>
        A program wants to sign in as <strong>{email}</strong>.
      </Text>
      <FactList
        facts={[
          { name: 'Code', value: <span className="mono">{userCode}</span> },
          { name: 'Program', value: [browser, device].filter(Boolean).join(' on ') || 'Unknown' },
          { name: 'IP address', value: <span className="mono">{address}</span> },
          { name: 'Requested', value: <DateTime time={createTime} /> },
        ]}
      />
      <Alert color="orange" title="Approve only if you started this sign-in yourself">
        If someone sent you this code or a link to this page, deny the sign-in. An approval gives
        them access to your account.
      </Alert>
      <ErrorAlert error={error} />
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={denial.isPending}
          disabled={isPending && !denial.isPending}
          onClick={() => void onDeny()}
        >
          Deny
        </Button>
        <Button
          loading={approval.isPending}
          disabled={isPending && !approval.isPending}
          onClick={() => void onApprove()}
        >
          Approve
        </Button>
      </Group>
      <Anchor component="button" type="button" size="sm" ta="start" onClick={onLeave}>
        Enter another code
      </Anchor>
    </SignedOutPage>
  );
}

const results = {
  approved: {
    title: 'Sign-in approved',
    text: 'Return to the command line. You can close this page.',
  },
  denied: {
    title: 'Sign-in denied',
    text: 'The program has no access to your account. You can close this page.',
  },
} as const;

function Result({ outcome }: { readonly outcome: Outcome }) {
  const { title, text } = results[outcome];
  return (
    <SignedOutPage title={title}>
      <Text role="status">{text}</Text>
      <TextLink to="/">Go to the console</TextLink>
    </SignedOutPage>
  );
}

function OwnAccount() {
  const { session } = useSignIn();
  const { email } = useUser();
  const leaving = usePendingAction();
  return (
    <>
      <ErrorAlert error={leaving.error} />
      <Text size="sm" c="dimmed">
        You’re signed in as {email}.{' '}
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => void leaving.run(() => session.signOut())}
        >
          Use another account
        </Anchor>
      </Text>
    </>
  );
}
