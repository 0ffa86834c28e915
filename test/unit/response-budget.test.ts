// The budget for responses that clients do not read.
import { describe, expect, it } from 'vitest';
import {
  createResponseBudget,
  firstChunkBytes,
  type ResponseAccount,
  responseBytes,
} from '../../src/api/response-budget.ts';

const unit = firstChunkBytes + responseBytes;

function createCase({ units = 8, stalledMs = 60_000 } = {}) {
  const budget = createResponseBudget({ bytesMax: units * unit, stalledMs });
  const ended: string[] = [];
  function open(name: string, network = name, connection: object = {}): ResponseAccount {
    return budget.open({ network, connection, end: () => void ended.push(name) });
  }
  function reserve(name: string, network = name, workspaceId = ''): ResponseAccount {
    const account = open(name, network);
    account.reserve(workspaceId);
    return account;
  }
  /** Sends the first chunk, too. */
  function send(name: string, network = name): ResponseAccount {
    const account = reserve(name, network);
    account.hold(firstChunkBytes);
    return account;
  }
  return { budget, ended, open, reserve, send };
}

const unavailable = expect.objectContaining({
  code: 'unavailable',
  extra: expect.objectContaining({ retryAfterSeconds: 1 }),
});

describe('the budget', () => {
  it('counts the bytes and the overhead of each response, until it is read or closed', () => {
    const { budget, reserve } = createCase();
    const first = reserve('a');
    const second = reserve('b');
    expect(budget.held()).toEqual({ bytes: 2 * unit, responses: 2 });
    second.hold(10);
    expect(budget.held()).toEqual({ bytes: unit + 10 + responseBytes, responses: 2 });
    second.hold(0);
    first.close();
    first.close();
    first.hold(100);
    expect(budget.held()).toEqual({ bytes: 0, responses: 0 });
  });

  it('leaves half to other networks', () => {
    const { budget, reserve, ended } = createCase();
    for (let i = 0; i < 4; i++) reserve(`a${i}`, 'a');
    expect(() => reserve('a4', 'a')).toThrow(unavailable);
    expect(() => budget.admit({ network: 'a', connection: {} })).toThrow(unavailable);
    reserve('b');
    expect(ended).toEqual([]);
  });

  it('leaves half to other workspaces, and admits new networks to each', () => {
    const { reserve, ended } = createCase({ units: 16 });
    for (let i = 0; i < 8; i++) reserve(`a${i}`, `network ${i}`, 'workspace');
    expect(() => reserve('a8', 'network 0', 'workspace')).toThrow(unavailable);
    reserve('b', 'network 0', 'other');
    expect(ended).toEqual([]);
    reserve('c', 'network c', 'workspace');
    expect(ended).toEqual(['a0']);
  });

  it('leaves most to other connections', () => {
    const { budget, open } = createCase();
    const connection = {};
    open('a1', 'a', connection).hold(unit);
    open('b1', 'b', connection).hold(unit);
    expect(() => budget.admit({ network: 'c', connection })).toThrow(unavailable);
    budget.admit({ network: 'c', connection: {} });
  });
});

describe('in a full budget', () => {
  it('the response whose client has read nothing for the longest time ends first', () => {
    const { budget, reserve, send, ended } = createCase({ units: 4 });
    const accounts = ['a', 'b', 'c', 'd'].map((name) => send(name));
    // The clients of all but b read slowly.
    for (const i of [0, 2, 3]) accounts[i]?.hold(firstChunkBytes - 1);
    for (const i of [0, 2, 3]) accounts[i]?.hold(firstChunkBytes);
    reserve('new');
    expect(ended).toEqual(['b']);
    reserve('newer');
    expect(ended).toEqual(['b', 'a']);
    expect(budget.held()).toEqual({ bytes: 4 * unit, responses: 4 });
  });

  it('a response of which nothing was sent ends last', () => {
    const { reserve, send, ended } = createCase({ units: 4 });
    const unsent = reserve('unsent');
    const [, , grown] = ['a', 'b', 'c'].map((name) => send(name));
    grown?.hold(firstChunkBytes + unit);
    expect(ended).toEqual(['a']);
    grown?.hold(firstChunkBytes + 3 * unit);
    expect(ended).toEqual(['a', 'b', 'c']);
    unsent.hold(firstChunkBytes + 4 * unit);
    expect(ended).toEqual(['a', 'b', 'c', 'unsent']);
  });

  it('a network that holds little gets in several times', () => {
    const { reserve, ended } = createCase({ units: 256 });
    for (let i = 0; i < 256; i++) reserve(`a${i}`);
    for (let i = 0; i < 3; i++) reserve(`b${i}`, 'b');
    expect(ended).toEqual(['a0', 'a1', 'a2']);
  });

  it('a response that grows ends the others that have stalled, not itself', () => {
    const { budget, send, ended } = createCase({ units: 4 });
    const [first] = ['a', 'b', 'c', 'd'].map((name) => send(name));
    first?.hold(0);
    first?.hold(2 * unit);
    expect(ended).toEqual(['b', 'c']);
    expect(budget.held().bytes).toBeLessThanOrEqual(4 * unit);
  });

  it('a network ends its own stalled responses, and only those', () => {
    const { reserve, ended } = createCase({ units: 8, stalledMs: 0 });
    reserve('b');
    for (let i = 0; i < 3; i++) reserve(`a${i}`, 'a');
    reserve('a3', 'a');
    reserve('a4', 'a');
    expect(ended).toEqual(['a0']);
  });
});
