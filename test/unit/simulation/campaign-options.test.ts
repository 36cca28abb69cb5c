import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkOptions } from '../../simulation/modes/check-options.ts';
import { FROZEN_CLASSES } from '../../simulation/modes/frozen-classes.ts';
import { createCommand, isOneRun, readOptions } from '../../simulation/modes/options.ts';

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
    [['--part', '1/2'], '--part means nothing to --mode safety; it is for exhaustive.'],
    [['--mode', 'exhaustive', '--part', '1/2', '--faults', 'none'], 'leave --part out'],
  ])('%j', async (args, sentence) => {
    await expect(check(args)).rejects.toMatchObject({ name: 'CliError', exitCode: 2, message: expect.stringContaining(sentence) });
  });

  it.each([
    [[]],
    [['--seed', '7', '--trace']],
    [['--runs', '1', '--trace']],
    [['--mode', 'exhaustive', '--part', '3/3']],
    [['--mode', 'corpus,exhaustive', '--pairs', '--sample', '50', '--part', '1/8']],
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

describe('arguments that would be ignored or make no sense are wrong usage', () => {
  const refusalOf = (args: readonly string[]): string => {
    const command = createCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    try {
      command.parse(['node', 'simulate', ...args]);
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };

  const PARTS = ['0/4', '5/4', '1/0', '4', '1/2/3', '-1/4', '1.5/4', 'a/b', ''];
  it.each<[string[], string]>([
    [['--skew', '--no-skew'], '--skew and --no-skew contradict each other; use one of them'],
    [['--no-skew', '--skew'], '--no-skew and --skew contradict each other; use one of them'],
    [['--seed', '7', '--runs', '3', '--seed', '8'], '--seed is given twice; give it once'],
    [['--mode', 'safety,safety'], 'safety is named twice'],
    [['--without-orders', '2,3,2'], '2 is named twice'],
    [['--faults', '12:late,12:dropped'], 'point 12 is named twice'],
    [['--jobs', '1000000'], 'this machine runs'],
    [['--patience', '2592000'], 'at most 86400, a day, is expected'],
    ...PARTS.map((part): [string[], string] => [['--mode', 'exhaustive', '--part', part], 'write <k>/<n>']),
  ])('%j', (args, sentence) => {
    expect(refusalOf(args)).toContain(sentence);
  });

  it('but several that differ are none', () => {
    expect(refusalOf(['--skew', '--trace', '--json', '--mode', 'safety,corpus', '--jobs', '1', '--without-orders', '1,2'])).toBe('none');
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

it.each([
  [['--seed', '7'], true],
  [['--runs', '1'], true],
  [['--seed', '7', '--runs', '2'], false],
  [[], false],
  [['--mode', 'exhaustive', '--faults', 'none'], true],
] as const)('knows whether %j is one run, which is shown by itself', (args, expected) => {
  expect(isOneRun(readOptions(['node', 'simulate', ...args]))).toBe(expected);
});
