import { PRICES } from '#shared/contract/prices.ts';
import { jobs } from '#shared/jobs/index.ts';
import type { CostLine } from './estimate.ts';
import { FUNCTION_GB } from './price-bill.ts';

/** What stage prod has of everything that is paid for by the month (test/budgets/fixed-costs.test.ts looks). */
export const FIXED = {
  alarmMetrics: 139,
  dashboards: 1,
  keys: 1,
  /** Queues besides the jobs' own that a function listens to. */
  retryQueues: 2,
  /** Runs of scheduled functions in an hour: rescue-jobs and govern-queues each minute, sweep-state and verify-cache every five. */
  scheduledRunsPerHour: 144,
} as const;

const MONTH_HOURS = 720;
/** A mapping holds five long polls open at a queue that is empty. */
const POLLERS = 5;
const POLL_SECONDS = 20;
const SCHEDULED_MS = 60;

/** What is paid although nothing happens. */
export function fixedCosts(): CostLine[] {
  const runs = FIXED.scheduledRunsPerHour * MONTH_HOURS;
  const polls = (POLLERS * MONTH_HOURS * 3_600) / POLL_SECONDS;
  const isFifo = ({ queue }: (typeof jobs)[number]): boolean => queue.fifoGroup !== undefined;
  const fifoQueues = jobs.filter(isFifo).length;
  const queues = jobs.length - fifoQueues + FIXED.retryQueues;
  const line = (what: string, used: string, dollars: number): CostLine => ({ what, per: 'month', used, dollars });
  return [
    line(
      'polls of empty queues',
      `${queues + fifoQueues} queues`,
      polls * (queues * PRICES.queueRequest + fifoQueues * PRICES.fifoRequest),
    ),
    line(
      'scheduled functions',
      `${runs.toLocaleString('en-GB')} runs`,
      runs * (PRICES.invocation + (SCHEDULED_MS / 1_000) * FUNCTION_GB * PRICES.gbSecond),
    ),
    line('alarms', `${FIXED.alarmMetrics} metrics`, FIXED.alarmMetrics * PRICES.alarmMetricMonth),
    line(
      'dashboard and key',
      `${FIXED.dashboards} and ${FIXED.keys}`,
      FIXED.dashboards * PRICES.dashboardMonth + FIXED.keys * PRICES.keyMonth,
    ),
  ];
}
