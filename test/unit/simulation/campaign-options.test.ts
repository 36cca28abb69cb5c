import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkOptions } from '../../simulation/modes/check-options.ts';
import { FROZEN_CLASSES } from '../../simulation/modes/frozen-classes.ts';
import { readOptions } from '../../simulation/modes/options.ts';

const directory = mkdtempSync(join(tmpdir(), 'andal-options-'));
afterAll(() => rmSync(directory, { recursive: true }));

const RECEIPT = '{"userId":"u-1","orderId":"o-1","attempt":1,"amountMinor":500,"currency":"EUR","captureId":"cap-1"}';
const CAPTURE = '{"userId":"u-1","orderId":"o-1","attempt":1}';
const check = (args: readonly string[]): Promise<void> => checkOptions(readOptions(['node', 'simulate', ...args]));

describe('an option that would have no effect is refused, and so is what does not exist', () => {
  it.each([
    [['--pairs'], '--pairs means nothing to --mode safety; it is for exhaustive.'],
    [['--mode', 'exhaustive', '--sample', '5'], 'it needs --pairs'],
    [['--class', 'provider:slow'], '--class means nothing to --mode safety'],
    [['--mode', 'liveness', '--class', 'nope'], 'There is no class "nope"; there are provider:refused'],
    [['--mode', 'liveness', '--class', 'clocks:apart', '--skew'], 'leave --skew and --no-skew out'],
    [['--mode', 'exhaustive', '--rate', '0.1'], '--rate means nothing to --mode exhaustive'],
    [['--mode', 'exhaustive', '--runs', '5'], '--runs means nothing to --mode exhaustive'],
    [['--mode', 'corpus', '--seed', '5'], '--seed means nothing to --mode corpus'],
    [['--mode', 'corpus', '--no-skew'], '--skew and --no-skew means nothing to --mode corpus'],
    [['--faults', '3:late', '--rate', '0.1'], 'leave --rate out'],
    [['--faults', '3:late', '--runs', '7'], 'leave --runs out'],
    [['--mode', 'liveness', '--faults', '3:late'], '--faults means nothing to --mode liveness'],
    [['--payload', '{}'], 'name its --kind'],
    [['--kind', 'send-receipt'], 'needs the --payload'],
    [['--kind', 'nope', '--payload', '{}'], 'No job kind is called nope'],
    [['--kind', 'send-receipt', '--payload', '{}'], 'This is no payload of send-receipt'],
    [['--kind', 'send-receipt', '--payload', RECEIPT, '--item', '{"status":"paid"}'], 'send-receipt has items of its own'],
    [['--kind', 'send-receipt', '--payload', RECEIPT, '--mode', 'liveness'], '--kind means nothing to --mode liveness'],
    [['--report', join(directory, 'nowhere', 'report.json')], 'there is no directory'],
    [['--report', directory], 'is a directory'],
    [['--seed', '7', '--broke', 'S1'], 'it needs --add-to-corpus'],
    [['--seed', '7', '--add-to-corpus', 'once', '--broke', 'ZZ'], 'There is no promise ZZ; there are S1'],
    [['--add-to-corpus', 'once'], 'name it with --seed'],
  ])('%j', async (args, sentence) => {
    await expect(check(args)).rejects.toMatchObject({ name: 'CliError', exitCode: 2, message: expect.stringContaining(sentence) });
  });

  it.each([
    [[]],
    [['--seed', '7', '--trace']],
    [['--mode', 'exhaustive', '--pairs', '--sample', '5', '--seed', '3']],
    [['--mode', 'corpus,exhaustive', '--report', join(directory, 'report.json')]],
    [['--mode', 'liveness', '--class', 'clocks:apart']],
    [['--mode', 'exhaustive', '--faults', '12:dropped', '--skew']],
    [['--seed', '7', '--add-to-corpus', 'once', '--broke', 'S7']],
    [['--kind', 'capture-payment', '--payload', CAPTURE, '--item', '{"status":"pending_payment"}', '--rate', '0.3']],
  ])('but not %j', async (args) => {
    await expect(check(args)).resolves.toBeUndefined();
  });
});

describe('the classes of liveness', () => {
  it('have names of their own', () => {
    const names = FROZEN_CLASSES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('set clocks as wrong as clocks may be, in every way', () => {
    const chance = { pick: <Item>(items: readonly Item[]) => items.at(-1) } as never;
    const wrong = FROZEN_CLASSES.flatMap(({ name, clockAheadMs }) => (clockAheadMs === undefined ? [] : [[name, clockAheadMs(chance)]]));
    expect(wrong).toEqual([
      ['clocks:apart', 300_000],
      ['clocks:ahead', 300_000],
      ['clocks:behind', -300_000],
    ]);
  });
});
