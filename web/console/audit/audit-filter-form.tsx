import { NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDateTime } from '../shared/date-time.tsx';
import { FilterForm } from '../shared/filter-form.tsx';
import { toLocalInput } from '../shared/local-input.ts';
import { auditActions, outcomeCodes, outcomeOf } from './audit-labels.ts';
import { type AuditSearch, readAuditSearch } from './audit-search.ts';

/** The latest value of a `datetime-local` field whose year has four digits. */
const lastMoment = '9999-12-31T23:59:59';

export function AuditFilterForm({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate();
  const [isReversed, setReversed] = useState(false);
  const { start_time, end_time, ...others } = search;
  const filter = (fields: Readonly<Record<string, unknown>>) => {
    const wanted = readAuditSearch(fields);
    const isWrong = endsTooSoon(wanted);
    setReversed(isWrong);
    if (!isWrong) void navigate({ to: '/audit', search: wanted });
  };
  return (
    <FilterForm
      values={{ ...others, start_time: localOf(start_time), end_time: localOf(end_time) }}
      filter={filter}
      labels={labels}
      describe={(name, value) => (name === 'code' ? outcomeOf(value).text : describeTime(value))}
      hasError={isReversed}
    >
      <Fields code={search.code} isReversed={isReversed} />
    </FilterForm>
  );
}

const labels = {
  actor: 'Actor',
  target: 'Target',
  action: 'Action',
  code: 'Outcome',
  start_time: 'From',
  end_time: 'To',
};

/** Undefined for a text that is not a local time. */
const describeTime = (value: string) =>
  /^\d{4}-\d\d-\d\dT/.test(value) ? formatDateTime(new Date(value), 'second') : undefined;

const endsTooSoon = ({ start_time, end_time }: AuditSearch) =>
  start_time !== undefined && end_time !== undefined && end_time <= start_time;

type FieldsProps = { readonly code: string | undefined; readonly isReversed: boolean };

function Fields({ code = '', isReversed }: FieldsProps) {
  const outcomes = [...new Set([...outcomeCodes, ...(code === '' ? [] : [code])])];
  const time = { type: 'datetime-local', step: 1, max: lastMoment };
  return (
    <>
      <TextInput name="actor" label="Actor ID" maxLength={128} />
      <TextInput name="target" label="Target ID" maxLength={128} />
      <div>
        <TextInput name="action" label="Action" list="actions" maxLength={128} autoComplete="off" />
        <datalist id="actions">
          {auditActions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <NativeSelect
        name="code"
        label="Outcome"
        data={[
          { value: '', label: 'Any' },
          ...outcomes.map((value) => ({ value, label: outcomeOf(value).text })),
        ]}
      />
      <TextInput name="start_time" label="From" {...time} />
      <TextInput
        name="end_time"
        label="To"
        error={isReversed ? 'Choose a time after “From”.' : undefined}
        {...time}
      />
    </>
  );
}

const localOf = (time: string | undefined) =>
  time === undefined ? '' : toLocalInput(new Date(time), 'seconds');
