import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRecord, recordOf, sameRecord, writeRecord } from '../../../cli/local/deployment-record.ts';
import { removeLeftovers } from '../../../cli/local/emulator.ts';
import { fingerprint } from '../../../cli/local/fingerprint.ts';
import { rememberEmulator } from '../../../cli/local/running-emulator.ts';

const endpointUrl = 'http://127.0.0.1:4566';
const stack = (id: string, updated: string) =>
  ({
    StackName: 'Andal-local-Data',
    StackId: id,
    StackStatus: 'CREATE_COMPLETE',
    LastUpdatedTime: new Date(updated),
    CreationTime: undefined,
  }) as const;
const stacks = [stack('arn:1', '2026-11-30T10:00:00Z')];

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'andal-record-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('the record of a deployment', () => {
  it('matches the same sources on the same stacks', () => {
    writeRecord(directory, endpointUrl, recordOf('hash', stacks));
    expect(sameRecord(readRecord(directory, endpointUrl), recordOf('hash', stacks))).toBe(true);
  });

  it.each([
    ['the sources changed', 'other', stacks],
    ['the emulator was restarted and has other stacks', 'hash', [stack('arn:2', '2026-11-30T10:00:00Z')]],
    ['somebody else deployed over it', 'hash', [stack('arn:1', '2026-11-30T11:00:00Z')]],
  ])('does not match when %s', (_, hash, now) => {
    writeRecord(directory, endpointUrl, recordOf('hash', stacks));
    expect(sameRecord(readRecord(directory, endpointUrl), recordOf(hash, now))).toBe(false);
  });

  it('is another one for another endpoint', () => {
    writeRecord(directory, endpointUrl, recordOf('hash', stacks));
    expect(readRecord(directory, 'http://127.0.0.1:4570')).toBeUndefined();
  });
});

describe('the records of many deployments', () => {
  it('are not kept for ever: the oldest go when one is written', () => {
    for (let port = 1; port <= 8; port++) {
      writeRecord(directory, `http://127.0.0.1:${port}`, recordOf('hash', stacks));
      utimesSync(join(directory, `deployed-127-0-0-1-${port}.json`), port, port);
    }
    writeRecord(directory, endpointUrl, recordOf('hash', stacks));
    expect(readdirSync(directory).sort()).toEqual([4566, 5, 6, 7, 8].map((port) => `deployed-127-0-0-1-${port}.json`));
  });

  it('lose the one of an emulator that has stopped, and keep the others', () => {
    writeRecord(directory, endpointUrl, recordOf('hash', stacks));
    writeRecord(directory, 'http://127.0.0.1:4570', recordOf('hash', stacks));
    rememberEmulator(directory, { pid: 1, port: 4566, endpointUrl, workDirectory: join(directory, 'elsewhere') });
    removeLeftovers(directory);
    expect(readdirSync(directory)).toEqual(['deployed-127-0-0-1-4570.json']);
  });
});

describe('the fingerprint of the sources', () => {
  const write = (file: string, text: string): void => {
    mkdirSync(join(directory, file, '..'), { recursive: true });
    writeFileSync(join(directory, file), text);
  };

  it('changes with a source, a renamed source and a lockfile, and with nothing else', () => {
    write('shared/item/claim.ts', 'a');
    const first = fingerprint(directory);
    write('cli/andal.ts', 'the command line is not deployed');
    expect(fingerprint(directory)).toBe(first);
    write('shared/item/claim.ts', 'b');
    const second = fingerprint(directory);
    write('package-lock.json', '{}');
    const third = fingerprint(directory);
    write('functions/a/index.ts', '');
    expect(new Set([first, second, third, fingerprint(directory)]).size).toBe(4);
  });
});
