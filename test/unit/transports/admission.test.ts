// How many calls begin in a turn of the event loop, in which order, and which ones are refused.
import { EventEmitter } from 'node:events';
import type { Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Failure } from '../../../src/base/errors/errors.ts';
import {
  type AdmissionLimits,
  type CallAdmission,
  createAdmission,
  type WaitingCall,
} from '../../../src/transports/admission.ts';
import { itHoldsFor } from '../../support/rule.ts';

type Event = { readonly name: string; readonly failure?: Failure };

function setUp(limits: Partial<AdmissionLimits> = {}) {
  const events: Event[] = [];
  const warnings: object[] = [];
  const warn = (facts: object) => void warnings.push(facts);
  const admission = createAdmission({ limits: { callsPerTurnMax: 2, ...limits }, warn });
  const arrive = (name: string, given: Partial<WaitingCall> = {}) => {
    const begin = () => void events.push({ name });
    const refuse = (failure: Failure) => void events.push({ name, failure });
    const facts = { isFirst: false, network: '192.0.2.1', bodyBytes: 0, isGone: () => false };
    const call = { ...facts, begin, refuse, ...given };
    if (admission.tryBegin()) call.begin();
    else admission.wait(call);
  };
  /** The names of the calls since the last time. */
  const takeNames = () => events.splice(0).map(({ name }) => name);
  return { admission, arrive, events, takeNames, warnings };
}

const fillTurn = (admission: CallAdmission) => {
  while (admission.tryBegin());
};

const overloaded = { code: 'unavailable', extra: { retryAfterSeconds: 1 } };

describe('the admission of calls', () => {
  test('begins some calls at once and the others in later turns, in order of arrival', async () => {
    const { arrive, takeNames } = setUp();

    for (const name of ['a', 'b', 'c', 'd', 'e']) arrive(name);

    expect(takeNames()).toEqual(['a', 'b']);
    await nextTurn();
    expect(takeNames()).toEqual(['c', 'd']);
    await nextTurn();
    expect(takeNames()).toEqual(['e']);
    await nextTurn();
    arrive('f');
    expect(takeNames()).toEqual(['f']);
  });

  test('lets no call overtake those that wait', async () => {
    const { arrive, takeNames } = setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e']) arrive(name);
    await nextTurn();

    arrive('f');

    expect(takeNames()).toEqual(['a', 'b', 'c', 'd']);
    await nextTurn();
    expect(takeNames()).toEqual(['e', 'f']);
  });

  test('serves new connections first, which cannot hold up the others', async () => {
    const { admission, arrive, takeNames } = setUp();
    fillTurn(admission);
    for (const name of ['a', 'b']) arrive(name);

    for (const name of ['new 1', 'new 2', 'new 3']) arrive(name, { isFirst: true });

    await nextTurn();
    expect(takeNames()).toEqual(['new 1', 'a']);
    await nextTurn();
    expect(takeNames()).toEqual(['new 2', 'b']);
    await nextTurn();
    expect(takeNames()).toEqual(['new 3']);
  });

  test('lets networks take turns, and leaves others half of the places', async () => {
    const { admission, arrive, events, takeNames } = setUp({ waitingMax: 6 });
    fillTurn(admission);
    // The first calls of connections use the same share.
    for (const name of ['a', 'b']) arrive(name);
    for (const name of ['new', 'd']) arrive(name, { isFirst: true });
    for (const isFirst of [false, true]) arrive('other', { network: '192.0.2.2', isFirst });

    expect(events.splice(0)).toMatchObject([{ name: 'd', failure: overloaded }]);
    await nextTurn();
    expect(takeNames()).toEqual(['new', 'a']);
    await nextTurn();
    expect(takeNames()).toEqual(['other', 'other']);
    await nextTurn();
    expect(takeNames()).toEqual(['b']);
  });

  test('begins fewer waiting calls in a turn in which a connection was accepted', async () => {
    const { admission, arrive, takeNames } = setUp({ callsPerTurnMax: 6 });
    const server = new EventEmitter() as Server;
    admission.watch(server);
    fillTurn(admission);
    const names = Array.from({ length: 8 }, (_, i) => `call ${i}`);
    for (const name of names) arrive(name);
    server.emit('connection');

    await nextTurn();
    expect(takeNames()).toEqual(names.slice(0, 4));
    await nextTurn();
    expect(takeNames()).toEqual(names.slice(4));
  });

  test('does not begin a call whose caller has gone', async () => {
    const { admission, arrive, takeNames } = setUp();
    fillTurn(admission);

    for (const name of ['a', 'b']) arrive(name, { isGone: () => true });
    for (const name of ['c', 'd']) arrive(name);

    await nextTurn();
    expect(takeNames()).toEqual(['c', 'd']);
  });

  test('refuses a call that has waited too long', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { admission, arrive, events, warnings } = setUp({ waitMs: 1_000 });
    fillTurn(admission);
    arrive('late');
    vi.advanceTimersByTime(1_001);
    arrive('in time');

    await nextTurn();

    expect(events[0]).toMatchObject({ name: 'late', failure: overloaded });
    expect(events[1]).toEqual({ name: 'in time' });
    vi.advanceTimersByTime(60_000);
    expect(warnings).toEqual([{ refused: 1 }]);
  });

  itHoldsFor([
    ['calls', { waitingMax: 1 }, 0],
    ['bytes', { waitingBytesMax: 150 }, 100],
  ])('refuses a call at once if too many calls or bytes wait', async (_name, limits, bodyBytes) => {
    const { admission, arrive, events } = setUp(limits);
    fillTurn(admission);
    arrive('a', { bodyBytes });

    arrive('b', { bodyBytes });

    expect(events).toMatchObject([{ name: 'b', failure: overloaded }]);
    await nextTurn();
    await nextTurn();
    fillTurn(admission);
    arrive('c', { bodyBytes });
    await nextTurn();
    expect(events.slice(1)).toEqual([{ name: 'a' }, { name: 'c' }]);
  });
});
