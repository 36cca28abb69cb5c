import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../cli/program.ts';
import { LEAST_RUNS } from '../../cli/tune/propose.ts';
import { captureBody, discardedOrder, type FakeAccount, openFakeAccount } from '../support/fake-account.ts';

// Help, document and table of every command, from the command line as a process of its own.

let account: FakeAccount;
let letterId = '';
beforeAll(async () => {
  account = await openFakeAccount();
  account.putItem(discardedOrder('u-1', 'o-1'));
  letterId = account.putLetter('capture-payment', captureBody('u-1', 'o-1'), { reason: 'attempts-spent', attempts: 6 });
  const jobs = Array.from({ length: LEAST_RUNS }, () => ({ outcome: 'committed', durationMs: 1_900 }));
  await account.cli(['pause', 'adjust-stock', '--reason', 'migration']);
  account.logLines.push({
    functionName: 'execute-capture-payment',
    atMs: Date.now(),
    fields: { message: 'batch', kind: 'capture-payment', jobs, callMs: [120, 900] },
  });
});
afterAll(() => account.close());

const some = (one: object) => expect.arrayContaining([expect.objectContaining(one)]);

interface Shown {
  /** What its help has to name, besides examples. */
  readonly help: readonly string[];
  /** Left out for what makes or takes away a whole environment: that is run as a process by the integration tests and `npm start`. */
  readonly run?: () => { readonly args: string[]; readonly code?: number; readonly json: object; readonly table: RegExp };
}

const COMMANDS: Readonly<Record<string, Shown>> = {
  up: { help: ['--port'] },
  down: {
    help: ['Example:'],
    run: () => ({ args: ['down'], json: { stopped: null }, table: /^No local emulator is running; nothing to stop\.$/m }),
  },
  deploy: { help: ['--context', '--yes'] },
  demo: { help: ['--orders', '--seconds', '--yes'] },
  status: {
    help: ['--watch', '--every', '(default: 2s)', 'Exit codes:'],
    run: () => ({
      args: ['status'],
      json: { stage: 'local', done: false, queues: some({ name: 'capture-payment' }) },
      table: /^Queue +Waiting/m,
    }),
  },
  explain: {
    help: ['<userId>/<orderId>', 'Exit codes:'],
    run: () => ({
      args: ['explain', 'u-1/o-1'],
      json: { order: { orderId: 'o-1' }, next: [{ command: 'npm run andal -- dlq inspect --key u-1/o-1' }] },
      table: /^Time \(UTC\) +After +Stage +What[\s\S]*given up: attempts-spent[\s\S]*Next: A dead letter waits/m,
    }),
  },
  'orders create': {
    help: ['--amount', '--currency', '--key'],
    run: () => ({
      args: ['orders', 'create', 'u-2', '--amount', '1250'],
      json: { created: true, userId: 'u-2' },
      table: /^Accepted: u-2\/new-order +pending_payment +12\.50 EUR[\s\S]*Next: npm run andal -- explain u-2\/new-order/m,
    }),
  },
  'orders get': {
    help: ['<userId>/<orderId>'],
    run: () => ({
      args: ['orders', 'get', 'u-1/o-1'],
      json: { orderId: 'o-1', status: 'pending_payment' },
      table: /^u-1\/o-1 +pending_payment +12\.50 EUR +version 1/m,
    }),
  },
  pause: {
    help: ['--reason', 'Exit codes:'],
    run: () => ({
      args: ['pause', 'send-receipt', '--reason', 'maintenance'],
      json: { kind: 'send-receipt', pause: { reason: 'maintenance' } },
      table: /send-receipt was paused already|Paused send-receipt\./,
    }),
  },
  resume: {
    help: ['--reason', 'Exit codes:'],
    run: () => ({
      args: ['resume', 'send-receipt'],
      json: { kind: 'send-receipt' },
      table: /send-receipt was not paused|Resumed send-receipt/,
    }),
  },
  'dlq list': {
    help: ['--older-than', 'Exit codes:'],
    run: () => ({ args: ['dlq', 'list'], json: { matched: 1 }, table: /^Queue +Letters +Hidden[\s\S]*^Fingerprint +Letters/m }),
  },
  'dlq inspect': {
    help: ['--show-payload', 'Exit codes:'],
    run: () => ({
      args: ['dlq', 'inspect', letterId],
      json: { matched: 1, letters: [{ letter: { messageId: letterId } }] },
      table: new RegExp(
        `capture:1 was given up \\(attempts-spent\\)[\\s\\S]*Discard it: npm run andal -- dlq discard ${letterId} --reason`,
      ),
    }),
  },
  'dlq replay': {
    help: ['--canary', '--rate', '--dry-run', 'Exit codes:'],
    run: () => ({
      args: ['dlq', 'replay', '--all', '--dry-run'],
      json: { act: 'replay', dryRun: true, matched: 1 },
      table: /^Would +Letters +Queue +To[\s\S]*1 would be replayed, 0 refused\./m,
    }),
  },
  'dlq discard': {
    help: ['--reason', 'export bucket', 'Exit codes:'],
    run: () => ({
      args: ['dlq', 'discard', '--all', '--dry-run', '--reason', 'x'],
      json: { act: 'discard', dryRun: true, matched: 1 },
      table: /^Would +Letters +Queue[\s\S]*1 would be discarded, 0 refused\./m,
    }),
  },
  'dlq restore': {
    help: ['--all', '--yes', 'Exit codes:'],
    run: () => {
      account.objects.set('/exports/dead-letters/capture-payment-dlq/m-1.json', Buffer.from(JSON.stringify(ARCHIVED)));
      return {
        args: ['dlq', 'restore', '--all', '--dry-run'],
        json: { dryRun: true, letters: [{ messageId: 'm-1', queue: 'capture-payment', deadLetterQueue: 'capture-payment-dlq' }] },
        table: /^Letter +Queue +Discarded +Bytes[\s\S]*^m-1 +capture-payment /m,
      };
    },
  },
  audit: {
    help: ['--since', '--what', '--key', 'Exit codes:'],
    run: () => ({
      args: ['audit', '--what', 'pause'],
      json: { entries: some({ what: 'pause', kind: 'adjust-stock', why: 'migration', outcome: 'paused' }) },
      table: /pause {2}adjust-stock {2}\(migration\) {2}→ paused$/m,
    }),
  },
  sweep: {
    help: ['--dry-run', '--whole-table', 'Exit codes:'],
    run: () => ({ args: ['sweep'], json: { dryRun: false, rescued: { sent: 0 }, walked: false }, table: /The rescue ran/ }),
  },
  'cache verify': {
    help: ['--sample', '--repair', '(default: 10s)', 'Exit codes:'],
    run: () => ({
      args: ['cache', 'verify'],
      json: { looked: 0, mismatches: [] },
      table: /^0 entries looked at: 0 equal[\s\S]*There was no value to compare\./m,
    }),
  },
  tune: {
    help: ['(default: 24h)', 'Exit codes:'],
    run: () => ({
      args: ['tune'],
      json: {
        timeScale: 1,
        proposals: some({ kind: 'capture-payment', verdict: 'too-tight', values: some({ name: 'p99Ms', now: 2_000, proposed: 2_900 }) }),
      },
      table:
        /^Of +Value +Declared +Proposed +Measured[\s\S]*^capture-payment +p99Ms +2,000 +2,900 +p99 of 300 runs 1900 ms[\s\S]*^payment-provider +calls a second +100 +keep/m,
    }),
  },
  cost: {
    help: ['--orders-per-day', '--provider-ms', '--cache', 'Exit codes:'],
    run: () => ({
      args: ['cost', '--orders-per-day', '10000', '--provider-ms', '200'],
      json: { ordersPerMonth: 300_000, cache: 'dynamodb', lines: some({ what: 'charge: DynamoDB', per: 'order' }) },
      table: /^What +Uses +A month[\s\S]*^charge: DynamoDB +[\d.]+ writes[\s\S]*^\$[\d.]+ a month for 300,000 orders/m,
    }),
  },
  'drain-report': {
    help: ['Exit codes:'],
    run: () => ({
      args: ['drain-report'],
      json: { stage: 'local', drained: true, kinds: some({ kind: 'capture-payment', version: 1 }) },
      table: /^capture-payment v1: there is no older version\./m,
    }),
  },
  completion: {
    help: ['bash', 'zsh', 'fish'],
    run: () => ({ args: ['completion', 'bash'], json: { shell: 'bash' }, table: /complete -F _andal andal/ }),
  },
};

const ARCHIVED = { queue: 'capture-payment-dlq', messageId: 'm-1', body: '{}', attributes: {}, sentAtMs: 1, archivedAtMs: 2 };

const names = (command: ReturnType<typeof createProgram>, before: readonly string[] = []): string[] =>
  command.commands.flatMap((one) => {
    const name = [...before, one.name()];
    return one.commands.length === 0 ? [name.join(' ')] : names(one, name);
  });

it('every command is shown here', () => {
  expect(Object.keys(COMMANDS).sort()).toEqual(names(createProgram()).sort());
});

const env = (): NodeJS.ProcessEnv => ({ ANDAL_STATE_DIRECTORY: '/nonexistent/andal' });

describe.each(Object.entries(COMMANDS))('andal %s', (name, { help, run }) => {
  it('has help with examples', async () => {
    const { code, stdout, stderr } = await account.cli([...name.split(' '), '--help'], env());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Examples?:\n {2}(?:npm run|AWS_ENDPOINT_URL)/);
    const words = stdout.replace(/\s+/g, ' ');
    for (const word of help) expect(words).toContain(word);
    expect(words, 'a duration in bare digits').not.toMatch(/<duration>[^<]*\(default: \d+\)/);
  });

  if (run === undefined) return;

  it('answers with one document', async () => {
    const { args, code = 0, json } = run();
    const answer = await account.cli([...args, '--json'], env());
    expect(answer.code, answer.stderr).toBe(code);
    expect(JSON.parse(answer.stdout)).toMatchObject(json);
  });

  it('answers a person with text without colours where nobody looks', async () => {
    const { args, code = 0, table } = run();
    const answer = await account.cli(args, env());
    expect(answer.code, answer.stderr).toBe(code);
    expect(answer.stdout).toMatch(table);
    expect(answer.stdout).not.toContain('\u001b[');
  });
});

describe('andal demo', () => {
  it('is refused where a real provider would be charged, in one sentence', async () => {
    const { PaymentSandboxUrl } = account.outputs;
    delete account.outputs['PaymentSandboxUrl'];
    try {
      expect(await account.cli(['demo', '--json'], env())).toMatchObject({
        code: 2,
        json: { error: expect.stringContaining('charges a real provider') },
      });
    } finally {
      account.outputs['PaymentSandboxUrl'] = PaymentSandboxUrl ?? '';
    }
  });
});
