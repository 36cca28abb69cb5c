import type { Log } from '#shared/runtime/logger.ts';
import type { Measure } from '#shared/runtime/metrics.ts';
import type { Signals } from '../kernel/signals.ts';
import type { Observer } from '../observer.ts';

/** What a function would write to its log, where a checker reads it. */
export const createCapturedLog = (service: string, signals: Signals<Observer>): Log => ({
  info: (message, fields) => signals.logged(service, 'info', message, fields),
  warn: (message, fields) => signals.logged(service, 'warn', message, fields),
  error: (message, fields) => signals.logged(service, 'error', message, fields),
});

/** What a function measures, value by value; a zero is left out as the real one leaves it out. */
export const createCapturedMetrics =
  (service: string, signals: Signals<Observer>): Measure =>
  ({ dimensions, values }) => {
    for (const [name, value] of Object.entries(values))
      for (const one of typeof value === 'number' ? [value].filter((count) => count !== 0) : value)
        signals.counted(service, name, one, dimensions);
    return {};
  };
