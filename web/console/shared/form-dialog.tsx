/** A dialog with a form that the service validates. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type FormEvent, type ReactNode, useState } from 'react';
import { missingAdvice } from '../session/field-advice.ts';
import { useStepUpIsOpen } from '../session/session-context.tsx';
import { useDialog } from './dialog-state.ts';
import { ErrorAlert } from './error-alert.tsx';
import { focusBehindDialogs } from './focus-fallback.ts';
import classes from './form-dialog.module.css';
import { findInvalidInput, findMissingInputs } from './form-fields.ts';
import { Sentence } from './isolate-name.tsx';
import { showToast } from './toasts.tsx';
import { type FormAction, useFormAction } from './use-form-action.ts';

export type FormDialogProps<Values extends Record<string, unknown>> = {
  readonly title: string;
  /** Field names match the request, so that field errors of the API find their fields. */
  readonly form: UseFormReturnType<Values>;
  /** The label of the submit button. */
  readonly label: string;
  /** Closes the dialog on success; on an error the dialog stays open and shows it. */
  readonly submit: (values: Values) => Promise<unknown>;
  /** Returns the question to ask before these values are submitted, or undefined. */
  readonly questionFor?: (values: Values) => string | undefined;
  /** The message after a success, such as `Link saved`. */
  readonly done?: string;
  /** By default false. */
  readonly isDestructive?: boolean;
  readonly children: ReactNode;
};

export function FormDialog<Values extends Record<string, unknown>>(props: FormDialogProps<Values>) {
  const { title, form } = props;
  const { isOpen, close } = useDialog();
  const isBeneath = useStepUpIsOpen();
  const action = useFormAction(form.setFieldError);
  const [isLeaving, setLeaving] = useState(false);
  const leave = () => {
    close();
    focusBehindDialogs();
  };
  // The first Escape asks, and the next one keeps the input.
  const askToLeave = () => {
    if (form.isTouched() && form.isDirty()) setLeaving(!isLeaving);
    else leave();
  };
  return (
    <Modal
      opened={isOpen}
      // The result is shown only here, so the dialog stays open until it is known.
      onClose={action.isPending ? nothing : askToLeave}
      title={<Sentence text={title} />}
      closeOnEscape={!isBeneath}
      // A click outside must not discard the input.
      closeOnClickOutside={false}
      returnFocus={false}
    >
      <DialogForm
        {...props}
        close={leave}
        action={action}
        keep={isLeaving ? () => setLeaving(false) : undefined}
      />
    </Modal>
  );
}

const nothing = () => {};

type DialogFormProps<Values extends Record<string, unknown>> = FormDialogProps<Values> & {
  readonly close: () => void;
  readonly action: FormAction;
  /** Keeps the input. Set while the dialog asks whether to discard it. */
  readonly keep: (() => void) | undefined;
};

function DialogForm<Values extends Record<string, unknown>>(props: DialogFormProps<Values>) {
  const { close, form, label, submit, questionFor, done, children, action, keep } = props;
  const color = props.isDestructive === true ? { color: 'red.9' } : {};
  const { formProps, isPending, error, shownFields, fail } = action;
  const [question, setQuestion] = useState<string>();

  async function send(values: Values) {
    if (!(await action.run(() => submit(values)))) return;
    close();
    if (done !== undefined) showToast(done);
  }

  function ask(values: Values, event?: FormEvent<HTMLFormElement>): void {
    // The service would ask for a recent sign-in before it checks the fields.
    const missing = event === undefined ? [] : findMissingInputs(event.currentTarget);
    for (const { dataset } of missing) form.setFieldError(dataset.path ?? '', missingAdvice);
    if (missing.length > 0) {
      setQuestion(undefined);
      fail();
      return;
    }
    const text = question === undefined ? questionFor?.(values) : undefined;
    setQuestion(text);
    if (text === undefined) void send(values);
  }

  const submitValid = form.onSubmit(ask, fail) as (event: FormEvent<HTMLFormElement>) => void;

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    const invalid = findInvalidInput(event.currentTarget);
    if (invalid === undefined) return submitValid(event);
    event.preventDefault();
    form.setFieldError(invalid.field.dataset.path ?? '', invalid.advice);
    invalid.field.focus();
  }

  return (
    <form {...formProps} className={classes.form ?? ''} onSubmit={onSubmit} noValidate>
      <Stack>
        {children}
        <ErrorAlert error={error} shownFields={shownFields} />
        {keep !== undefined ? (
          <Question text="Discard your changes?" keep={keep}>
            <Button color="red.9" onClick={close}>
              Discard
            </Button>
          </Question>
        ) : question !== undefined && !isPending ? (
          <Question text={question} keep={() => setQuestion(undefined)}>
            <Button type="submit">{label}</Button>
          </Question>
        ) : (
          <Group justify="flex-end" className={classes.footer ?? ''}>
            <Button variant="default" onClick={close} disabled={isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} {...color}>
              {label}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

type QuestionProps = {
  readonly text: string;
  readonly keep: () => void;
  /** The button that answers with yes. */
  readonly children: ReactNode;
};

/** Replaces the buttons of the dialog. */
function Question({ text, keep, children }: QuestionProps) {
  return (
    <Stack gap="xs" className={classes.footer ?? ''} role="alert">
      <Text>{text}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={keep} autoFocus>
          Keep editing
        </Button>
        {children}
      </Group>
    </Stack>
  );
}
