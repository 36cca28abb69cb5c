import type { SdkOptions } from '#shared/aws/sdk-options.ts';
import { type Clock, systemClock } from './clock.ts';
import { createLogger, type Log } from './logger.ts';
import { createMetrics, type Measure } from './metrics.ts';
import { type Random, systemRandom } from './random.ts';

/** All of the world that a function is wired to, so that a simulator can run the very wiring that runs on Lambda. */
export interface System {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** What SDK clients are made of besides their limits; empty on Lambda. */
  readonly sdk: SdkOptions;
  readonly fetch: typeof fetch;
  createLogger(serviceName: string): Log;
  createMetrics(serviceName: string): Measure;
}

export const system: System = {
  environment: process.env,
  clock: systemClock,
  random: systemRandom,
  sdk: {},
  fetch,
  createLogger,
  createMetrics,
};
