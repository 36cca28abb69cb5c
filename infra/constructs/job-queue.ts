import type { Construct } from 'constructs';
import { MAX_RECEIVE_COUNT } from '#shared/contract/limits.ts';
import { type DerivedTiming, deriveTiming } from '#shared/contract/timing.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import type { Settings } from '../settings.ts';
import { RedrivenQueue } from './redriven-queue.ts';

/** The queue of one job kind. Its times follow from what the kind declares about its own speed. */
export class JobQueue extends RedrivenQueue {
  readonly definition: AnyJobDefinition;
  readonly timing: DerivedTiming;

  constructor(scope: Construct, id: string, { settings, definition }: { settings: Settings; definition: AnyJobDefinition }) {
    const timing = deriveTiming(definition.timing, {
      scale: settings.timeScale,
      batchingWindowSeconds: definition.queue.batchingWindowSeconds ?? 0,
    });
    super(scope, id, {
      settings,
      visibilityTimeoutSeconds: timing.visibilityTimeoutSeconds,
      maxReceiveCount: MAX_RECEIVE_COUNT,
      fifo: definition.queue.fifoGroup !== undefined,
    });
    this.definition = definition;
    this.timing = timing;
  }
}
