import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { directionFaults } from '../../../scripts/directions.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

const packageNames = ['zod', '@aws-sdk/client-sqs', '@aws-lambda-powertools/logger', 'aws-cdk-lib'];

/** A small repository in which every import goes where it may. */
const soundTree: Record<string, string> = {
  'package.json': JSON.stringify({
    type: 'module',
    imports: { '#shared/*': './shared/*' },
    dependencies: { zod: '1.0.0', '@aws-sdk/client-sqs': '1.0.0', '@aws-lambda-powertools/logger': '1.0.0' },
    devDependencies: { 'aws-cdk-lib': '1.0.0' },
  }),
  ...Object.fromEntries(
    packageNames.flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' })],
      [`node_modules/${name}/index.js`, 'export const z = 1;'],
    ]),
  ),
  'shared/contract/limits.ts': "import * as z from 'zod';\nexport const limit = z;",
  'shared/domain/order.ts': "import { limit } from '#shared/contract/limits.ts';\nexport const order = limit;",
  'shared/payments/payment-port.ts': "import type { order } from '#shared/domain/order.ts';\nexport type PaymentPort = typeof order;",
  'shared/payments/client.ts': "import type { PaymentPort } from './payment-port.ts';\nexport const client = {} as PaymentPort;",
  'shared/cache/read.ts': "import type { Clock } from '#shared/runtime/clock.ts';\nexport const read = (clock: Clock) => clock;",
  'shared/runtime/clock.ts': "import { limit } from '#shared/contract/limits.ts';\nexport type Clock = typeof limit;",
  'shared/worker/define-job.ts': "import type { PaymentPort } from '#shared/payments/payment-port.ts';\nexport type Job = PaymentPort;",
  'shared/jobs/index.ts':
    "import type { Job } from '#shared/worker/define-job.ts';\nimport type { PaymentPort } from '#shared/payments/payment-port.ts';\nexport type X = Job | PaymentPort;",
  'shared/aws/queue.ts':
    "import { SQSClient } from '@aws-sdk/client-sqs';\nimport { read } from '#shared/cache/read.ts';\nexport const queue = [SQSClient, read];",
  'functions/read-order/handler.ts': "import { order } from '#shared/domain/order.ts';\nexport const handle = () => order;",
  'shared/aws/sdk-options.ts': "import type { order } from '#shared/domain/order.ts';\nexport type SdkOptions = typeof order;",
  'shared/runtime/system.ts': "import type { SdkOptions } from '#shared/aws/sdk-options.ts';\nexport const system = {} as SdkOptions;",
  'functions/read-order/wire.ts':
    "import { queue } from '#shared/aws/queue.ts';\nimport { handle } from './handler.ts';\nexport const wire = () => [queue, handle];",
  'functions/read-order/index.ts':
    "import { system } from '#shared/runtime/system.ts';\nimport { wire } from './wire.ts';\nexport const handler = [wire, system];",
  'functions/accept-order/handler.ts': "import { order } from '#shared/domain/order.ts';\nexport const accept = () => order;",
  'infra/app.ts':
    "import { Stack } from 'aws-cdk-lib';\nimport type { X } from '#shared/jobs/index.ts';\nexport const app = [Stack] as X[];",
  'cli/andal.ts': "import { queue } from '#shared/aws/queue.ts';\nexport const andal = queue;",
  'test/support/order.ts': "import { order } from '#shared/domain/order.ts';\nexport const anOrder = order;",
};

const faultsOf = (changes: Record<string, string> = {}) => {
  const directory = mkdtempSync(join(tmpdir(), 'andal-directions-'));
  directories.push(directory);
  for (const [path, text] of Object.entries({ ...soundTree, ...changes })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directionFaults(directory, { minimumModules: 10 });
};

const planted: [rule: string, path: string, text: string][] = [
  ['shared-contract', 'shared/contract/late.ts', "import { order } from '#shared/domain/order.ts';\nexport const late = order;"],
  ['shared-domain', 'shared/domain/late.ts', "import { client } from '#shared/payments/client.ts';\nexport const late = client;"],
  ['shared-cache', 'shared/cache/paying.ts', "import { client } from '#shared/payments/client.ts';\nexport const paying = client;"],
  ['shared-mail', 'shared/mail/queued.ts', "import { queue } from '#shared/aws/queue.ts';\nexport const queued = queue;"],
  ['shared-stock', 'shared/stock/job.ts', "import type { Job } from '#shared/worker/define-job.ts';\nexport type Stocked = Job;"],
  ['shared-worker', 'shared/worker/queued.ts', "import { queue } from '#shared/aws/queue.ts';\nexport const queued = queue;"],
  ['shared-jobs', 'shared/jobs/charging.ts', "import { client } from '#shared/payments/client.ts';\nexport const charging = client;"],
  ['shared-jobs', 'shared/jobs/timed.ts', "import type { Clock } from '#shared/runtime/clock.ts';\nexport type Timed = Clock;"],
  ['shared-aws', 'shared/aws/jobs.ts', "import type { X } from '#shared/jobs/index.ts';\nexport type Y = X;"],
  [
    'functions-apart',
    'functions/read-order/other.ts',
    "import { accept } from '../accept-order/handler.ts';\nexport const other = accept;",
  ],
  ['functions-only-shared', 'functions/read-order/cli.ts', "import { andal } from '../../cli/andal.ts';\nexport const other = andal;"],
  ['handler-pure', 'functions/accept-order/wired.ts', "import { queue } from '#shared/aws/queue.ts';\nexport const wired = queue;"],
  ['handler-pure', 'functions/accept-order/late/wire.ts', "import { queue } from '#shared/aws/queue.ts';\nexport const wired = queue;"],
  ['wiring-next-to-last', 'functions/read-order/again.ts', "import { wire } from './wire.ts';\nexport const again = wire;"],
  ['shared-runtime', 'shared/runtime/queued.ts', "import { queue } from '#shared/aws/queue.ts';\nexport const queued = queue;"],
  ['index-last', 'cli/inside.ts', "import { handler } from '../functions/read-order/index.ts';\nexport const inside = handler;"],
  ['infra-only-contract', 'infra/running.ts', "import { queue } from '#shared/aws/queue.ts';\nexport const running = queue;"],
  ['cli-not-functions', 'cli/handling.ts', "import { handle } from '../functions/read-order/handler.ts';\nexport const handling = handle;"],
  ['nothing-imports-tests', 'cli/leaning.ts', "import { anOrder } from '../test/support/order.ts';\nexport const leaning = anOrder;"],
  ['pure-foundation', 'shared/domain/file.ts', "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;"],
  [
    'sdk-behind-adapters',
    'functions/read-order/direct.ts',
    "import { SQSClient } from '@aws-sdk/client-sqs';\nexport const direct = SQSClient;",
  ],
  ['sdk-behind-adapters', 'cli/lazy.ts', "export const lazy = () => import('@aws-sdk/client-sqs');"],
  ['powertools-placed', 'shared/cache/logging.ts', "import { z } from '@aws-lambda-powertools/logger';\nexport const logging = z;"],
  ['cdk-in-infra', 'cli/stack.ts', "import { z } from 'aws-cdk-lib';\nexport const stack = z;"],
  ['deployed-code-is-declared', 'shared/aws/stack.ts', "import { z } from 'aws-cdk-lib';\nexport const stack = z;"],
  [
    'every-folder-has-a-place',
    'shared/surprise/new.ts',
    "import { order } from '#shared/domain/order.ts';\nexport const surprise = order;",
  ],
  ['alias-across-folders', 'shared/domain/relative.ts', "import { limit } from '../contract/limits.ts';\nexport const relative = limit;"],
  ['alias-into-shared', 'cli/relative.ts', "import { order } from '../shared/domain/order.ts';\nexport const relative = order;"],
  ['no-orphans', 'shared/domain/alone.ts', 'export const alone = 1;'],
  ['resolvable', 'shared/domain/astray.ts', "import { gone } from './gone.ts';\nexport const astray = gone;"],
];

describe('directions', () => {
  test('lets a sound repository pass', async () => {
    expect(await faultsOf()).toEqual([]);
  });

  test.for(planted)('%s catches %s', async ([rule, path, text]) => {
    const faults = await faultsOf({ [path]: text });
    expect(faults.filter((fault) => fault.startsWith(path) && fault.endsWith(`(${rule})`))).not.toEqual([]);
  });

  test('catches folders that know each other, even by types alone', async () => {
    const faults = await faultsOf({
      'shared/idempotency/layer.ts': "import type { Run } from '#shared/worker/run.ts';\nexport type Layer = Run;",
      'shared/worker/run.ts': "import type { Layer } from '#shared/idempotency/layer.ts';\nexport type Run = Layer;",
    });
    expect(faults.some((fault) => fault.endsWith('(no-cycle-across-folders)'))).toBe(true);
  });

  test('lets two files of one folder share a recursive type', async () => {
    const faults = await faultsOf({
      'shared/worker/tree.ts': "import type { Leaf } from './leaf.ts';\nexport type Tree = Leaf[];",
      'shared/worker/leaf.ts': "import type { Tree } from './tree.ts';\nexport type Leaf = Tree | string;",
    });
    expect(faults).toEqual([]);
  });

  test('fails when it saw too few modules to judge', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'andal-directions-'));
    directories.push(directory);
    mkdirSync(join(directory, 'shared/contract'), { recursive: true });
    writeFileSync(join(directory, 'package.json'), '{}');
    writeFileSync(join(directory, 'shared/contract/limits.ts'), "import { a } from './more.ts';\nexport const b = a;");
    writeFileSync(join(directory, 'shared/contract/more.ts'), 'export const a = 1;');
    expect(await directionFaults(directory)).toEqual([
      expect.stringContaining('only 2 modules were found'),
      expect.stringContaining('alias #shared/*'),
    ]);
  });

  test('fails when the alias leads nowhere', async () => {
    const faults = await faultsOf({
      'package.json': JSON.stringify({ type: 'module', dependencies: { zod: '1.0.0', '@aws-sdk/client-sqs': '1.0.0' } }),
    });
    expect(faults).toContainEqual(expect.stringContaining('the alias #shared/* resolved nowhere'));
  });
});
