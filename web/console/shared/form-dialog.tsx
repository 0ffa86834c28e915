/** A dialog with a form that the service validates. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { fieldErrorsOf } from '../session/error-details.ts';
import { useStepUpIsOpen } from '../session/session-context.tsx';
import { ErrorAlert } from './error-alert.tsx';
import { focusBehindDialogs } from './focus-fallback.ts';
import classes from './form-dialog.module.css';
import { fieldNamesOf, findInvalidDate, focusFirstInvalid } from './form-fields.ts';
import { Sentence } from './isolate-name.tsx';
import { showToast } from './toasts.tsx';
import { type PendingAction, usePendingAction } from './use-pending-action.ts';
import { useRestoredFocus } from './use-restored-focus.ts';

export type FormDialogProps<Values extends Record<string, unknown>> = {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Field names match the request, so that field errors of the API find their fields. */
  readonly form: UseFormReturnType<Values>;
  /** The label of the submit button. */
  readonly label: string;
  /** Closes the dialog on success; on an error the dialog stays open and shows it. */
  readonly submit: (values: Values) => Promise<unknown>;
  /** The message after a success, such as `Link saved`. */
  readonly done?: string;
  readonly children: ReactNode;
};

export function FormDialog<Values extends Record<string, unknown>>(props: FormDialogProps<Values>) {
  const { title, isOpen, form, close } = props;
  const isBeneath = useStepUpIsOpen();
  const action = usePendingAction();
  const leave = () => {
    form.reset();
    action.clearError();
    close();
    focusBehindDialogs();
  };
  return (
    <Modal
      opened={isOpen}
      // The result is shown only here, so the dialog stays open until it is known.
      onClose={action.isPending ? nothing : leave}
      title={<Sentence text={title} />}
      closeOnEscape={!isBeneath}
      // A click outside must not discard the input.
      closeOnClickOutside={false}
      returnFocus={false}
    >
      <DialogForm {...props} close={leave} action={action} />
    </Modal>
  );
}

const nothing = () => {};

type DialogFormProps<Values extends Record<string, unknown>> = FormDialogProps<Values> & {
  readonly action: PendingAction;
};

function DialogForm<Values extends Record<string, unknown>>(props: DialogFormProps<Values>) {
  const { close, form, label, submit, done, children, action } = props;
  const { isPending, error } = action;
  const rememberFocus = useRestoredFocus(isPending);
  const element = useRef<HTMLFormElement>(null);
  const [shownFields, setShownFields] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState(0);
  const fail = () => setFailures((count) => count + 1);
  useEffect(() => {
    if (failures > 0 && element.current !== null) focusFirstInvalid(element.current);
  }, [failures]);

  async function send(values: Values) {
    rememberFocus();
    const isDone = await action.run(async () => {
      try {
        await submit(values);
      } catch (thrown) {
        for (const { name, detail } of fieldErrorsOf(thrown)) form.setFieldError(name, detail);
        if (element.current !== null) setShownFields(fieldNamesOf(element.current));
        throw thrown;
      }
    });
    if (!isDone) return fail();
    close();
    if (done !== undefined) showToast(done);
  }

  const submitValid = form.onSubmit(send, fail) as (event: FormEvent<HTMLFormElement>) => void;

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    const invalid = findInvalidDate(event.currentTarget);
    if (invalid === undefined) return submitValid(event);
    event.preventDefault();
    form.setFieldError(invalid.field.dataset.path ?? '', invalid.advice);
    invalid.field.focus();
  }

  return (
    <form ref={element} onSubmit={onSubmit} noValidate>
      <Stack>
        {error === undefined ? null : <ErrorAlert error={error} shownFields={shownFields} />}
        {children}
        <Group justify="flex-end" className={classes.footer ?? ''}>
          <Button variant="default" onClick={close} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
