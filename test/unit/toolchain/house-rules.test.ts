import { describe, expect, test } from 'vitest';
import { houseFaults } from '../../../scripts/house-rules.ts';

const broken: [rule: string, path: string, text: string][] = [
  ['world-comes-in', 'shared/item/claim.ts', 'const nowMs = Date.now();'],
  ['world-comes-in', 'shared/item/claim.ts', 'const now = new Date();'],
  ['world-comes-in', 'shared/item/claim.ts', 'const clock = Date.now;'],
  ['world-comes-in', 'shared/retry/schedule.ts', 'const jitter = Math.random() * 2;'],
  ['world-comes-in', 'shared/aws/item-store.ts', "import { randomUUID } from 'node:crypto';"],
  ['world-comes-in', 'functions/read-order/index.ts', 'const table = process.env.STATE_TABLE;'],
  ['world-comes-in', 'functions/read-order/handler.ts', 'const t0 = performance.now();'],
  ['world-comes-in', 'shared/worker/run.ts', 'const t0 = process.hrtime.bigint();'],
  ['world-comes-in', 'shared/cache/wait.ts', `import { setTimeout } from '${['node:timers', 'promises'].join('/')}';`],
  ['runtime-by-type', 'shared/cache/wait.ts', "import { systemClock } from '#shared/runtime/clock.ts';"],
  ['runtime-by-type', 'functions/read-order/handler.ts', "import { systemClock } from '#shared/runtime/clock.ts';"],
  ['wiring-takes-its-system', 'functions/read-order/wire.ts', "import { systemClock } from '#shared/runtime/clock.ts';"],
  ['zod-by-namespace', 'shared/domain/money.ts', "import { z } from 'zod';"],
  ['whole-suite', 'test/unit/item/claim.test.ts', ['describe', 'only'].join('.')],
  ['whole-suite', 'test/unit/item/claim.test.ts', `${['test', 'concurrent', 'skip'].join('.')}('x')`],
  ['whole-suite', 'test/unit/item/claim.test.ts', `${['x', 'it('].join('')}'x')`],
  ['waits-for-something', 'test/unit/item/claim.test.ts', ['await new Promise((resolve) =>', 'setTimeout(resolve, 100));'].join(' ')],
  ['finished', 'docs/operating.md', ['TO', 'DO: describe'].join('')],
  ['finished', 'infra/app.ts', ['// FIX', 'ME'].join('')],
  ['telling-names', 'shared/item/utils.ts', ''],
  ['telling-names', 'cli/helpers/print.ts', ''],
];

const sound: [path: string, text: string][] = [
  ['shared/runtime/clock.ts', 'const now = () => Date.now();'],
  ['shared/domain/order.ts', 'new Date(order.createdAtMs).toISOString()'],
  ['shared/cache/wait.ts', "import type { Clock } from '#shared/runtime/clock.ts';"],
  ['functions/read-order/index.ts', "import { systemClock } from '#shared/runtime/clock.ts';"],
  ['functions/read-order/wire.ts', "import { readEnvironment } from '#shared/runtime/environment.ts';"],
  ['cli/start.ts', 'const startedAtMs = Date.now();'],
  ['shared/domain/money.ts', "import * as z from 'zod';"],
  ['shared/domain/money.ts', "import type * as z from 'zod';"],
  ['test/unit/item/claim.test.ts', "test('skips what is only read', () => {})"],
  ['infra/settings.ts', "removalPolicy: 'retain'"],
  ['shared/item/type-guard.ts', ''],
];

describe('house rules', () => {
  test.for(broken)('%s catches it in %s: %s', ([rule, path, text]) => {
    expect(houseFaults(path, `const before = 1;\n${text}`)).toEqual([expect.stringMatching(new RegExp(`^${path}.*\\(${rule}\\)$`))]);
  });

  test.for(sound)('leaves %s alone: %s', ([path, text]) => {
    expect(houseFaults(path, `const before = 1;\n${text}`)).toEqual([]);
  });

  test('names the line', () => {
    expect(houseFaults('shared/item/claim.ts', '\n\nDate.now()')[0]).toMatch(/^shared\/item\/claim\.ts:3: /);
  });
});
