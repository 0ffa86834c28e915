/** A dialog with a form whose action is the service's to judge. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useStepUpIsOpen } from '../session/context.tsx';
import { fieldProblemsOf } from '../session/reason.ts';
import { type Acting, useActing } from './act.ts';
import { fieldNamesIn, focusWrong, unfitOf } from './fields.ts';
import { useFocusBack } from './focus-back.ts';
import { focusOutside } from './focus-outside.ts';
import { Sentence } from './isolated.tsx';
import { Problem } from './problem.tsx';

export type FormDialogProps<Values extends Record<string, unknown>> = {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Its fields are named as in the request, so that the service's words find them. */
  readonly form: UseFormReturnType<Values>;
  /** What the button says that does it. */
  readonly label: string;
  /** The dialog closes once it is done; where it throws, it tells why and stays. */
  readonly submit: (values: Values) => Promise<unknown>;
  readonly children: ReactNode;
};

export function FormDialog<Values extends Record<string, unknown>>(props: FormDialogProps<Values>) {
  const { title, isOpen, form, close } = props;
  const isBeneath = useStepUpIsOpen();
  const acting = useActing();
  const leave = () => {
    form.reset();
    acting.clear();
    close();
    focusOutside();
  };
  return (
    <Modal
      opened={isOpen}
      // How it ends is told here, and nowhere else.
      onClose={acting.isPending ? nothing : leave}
      title={<Sentence text={title} />}
      closeOnEscape={!isBeneath}
      // What was typed is not lost by a click beside it.
      closeOnClickOutside={false}
      returnFocus={false}
    >
      <DialogForm {...props} close={leave} acting={acting} />
    </Modal>
  );
}

const nothing = () => {};

type DialogFormProps<Values extends Record<string, unknown>> = FormDialogProps<Values> & {
  readonly acting: Acting;
};

function DialogForm<Values extends Record<string, unknown>>(props: DialogFormProps<Values>) {
  const { close, form, label, submit, children, acting } = props;
  const { isPending, error } = acting;
  const keepFocus = useFocusBack(isPending);
  const element = useRef<HTMLFormElement>(null);
  const [shownFields, setShownFields] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState(0);
  const fail = () => setFailures((count) => count + 1);
  useEffect(() => {
    if (failures > 0 && element.current !== null) focusWrong(element.current);
  }, [failures]);

  async function send(values: Values) {
    keepFocus();
    const isDone = await acting.run(async () => {
      try {
        await submit(values);
      } catch (thrown) {
        for (const { name, detail } of fieldProblemsOf(thrown)) form.setFieldError(name, detail);
        if (element.current !== null) setShownFields(fieldNamesIn(element.current));
        throw thrown;
      }
    });
    if (isDone) close();
    else fail();
  }

  const submitValid = form.onSubmit(send, fail) as (event: FormEvent<HTMLFormElement>) => void;

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    const unfit = unfitOf(event.currentTarget);
    if (unfit === undefined) return submitValid(event);
    event.preventDefault();
    form.setFieldError(unfit.field.dataset.path ?? '', unfit.advice);
    unfit.field.focus();
  }

  return (
    <form ref={element} onSubmit={onSubmit} noValidate>
      <Stack>
        {error === undefined ? null : <Problem error={error} shownFields={shownFields} />}
        {children}
        <Group justify="flex-end">
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
