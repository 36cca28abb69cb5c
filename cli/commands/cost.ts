import { type Command, Option } from 'commander';
import { type CacheChoice, estimateCost } from '../cost/estimate.ts';
import { formatEstimate } from '../cost/format-estimate.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions } from '../session.ts';
import { wholeNumber } from './whole-number.ts';

interface CostOptions {
  readonly ordersPerDay: number;
  readonly providerMs: number;
  readonly cache: CacheChoice;
  readonly batch?: number;
}

export function register(program: Command): void {
  program
    .command('cost')
    .description('what a month in an account would cost, line by line; asks nobody')
    .addOption(
      new Option('--orders-per-day <number>', 'orders accepted and paid on a day')
        .argParser(wholeNumber('Give orders a day, for example 10000.', { min: 1, max: 1_000_000_000 }))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--provider-ms <number>', 'one answer of the payment provider')
        .argParser(wholeNumber('Give milliseconds, for example 200.', { min: 1, max: 60_000 }))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--cache <adapter>', 'where answers are cached; valkey stands for an adapter of your own on ElastiCache Serverless')
        .choices(['valkey', 'dynamodb'])
        .default('dynamodb'),
    )
    .addOption(
      new Option('--batch <number>', 'messages in a batch (default: what so many orders come to, spread over the day)').argParser(
        wholeNumber('Give messages between 1 and 10.', { min: 1, max: 10 }),
      ),
    )
    .addHelpText(
      'after',
      `
What an order uses was counted by running it (cli/cost/outcome-counts.json); prices and their date are in shared/contract/prices.ts.

Exit codes: 0 estimated, 2 wrong usage.

Examples:
  npm run andal -- cost --orders-per-day 10000 --provider-ms 200
  npm run andal -- cost --orders-per-day 1000000 --provider-ms 800 --cache valkey
  npm run andal -- cost --orders-per-day 50000 --provider-ms 200 --batch 10 --json`,
    )
    .action((options: CostOptions, command: Command) => {
      const estimate = estimateCost(options);
      printAnswer(globalOptions(command).json === true, estimate, () => formatEstimate(estimate));
    });
}
