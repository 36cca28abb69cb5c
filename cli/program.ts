import { Command } from 'commander';
import { register as audit } from './commands/audit.ts';
import { register as cache } from './commands/cache.ts';
import { register as completion } from './commands/completion.ts';
import { register as cost } from './commands/cost.ts';
import { register as demo } from './commands/demo.ts';
import { register as deploy } from './commands/deploy.ts';
import { register as dlq } from './commands/dlq.ts';
import { register as down } from './commands/down.ts';
import { register as drainReport } from './commands/drain-report.ts';
import { register as explain } from './commands/explain.ts';
import { register as orders } from './commands/orders.ts';
import { register as pause } from './commands/pause.ts';
import { register as status } from './commands/status.ts';
import { register as sweep } from './commands/sweep.ts';
import { register as tune } from './commands/tune.ts';
import { register as up } from './commands/up.ts';

/** Every command with its arguments, options and examples; named as a person types it, so that help can be copied. */
export function createProgram(): Command {
  const program = new Command('npm run andal --')
    .description('Run, look at and explain the job pipeline.')
    .option('--stage <name>', 'stage to work on', 'local')
    .option('--profile <name>', 'AWS profile (stages in an account)')
    .option('--region <name>', 'AWS region (default: AWS_REGION, then us-east-1)')
    .option('--json', 'answer with one JSON document on stdout; an error is one on stderr')
    .addHelpText(
      'after',
      `
AWS_ENDPOINT_URL names an emulator; without it stage local is the emulator that \`up\` started, other stages are in your account.

Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 nothing found, 4 partly done.

Examples:
  npm run andal -- up
  npm run andal -- orders create u-17 --amount 1250 --currency EUR
  npm run andal -- explain u-17/ORDERID
  npm run andal -- status --json
  npm run andal -- pause capture-payment --reason maintenance
  npm run andal -- dlq list
  npm run andal -- demo --orders 1000`,
    );
  for (const register of [
    up,
    down,
    deploy,
    demo,
    status,
    explain,
    orders,
    pause,
    dlq,
    audit,
    sweep,
    cache,
    tune,
    cost,
    drainReport,
    completion,
  ])
    register(program);
  return program;
}
