import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRecord, recordOf, sameRecord, writeRecord } from '../../../cli/local/deployment-record.ts';
import { fingerprint } from '../../../cli/local/fingerprint.ts';

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
