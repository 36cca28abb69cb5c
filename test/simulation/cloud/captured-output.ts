import type { Log } from '#shared/runtime/logger.ts';
import type { Counter, Gauge } from '#shared/runtime/metrics.ts';
import type { Signals } from '../kernel/signals.ts';
import type { Observer } from '../observer.ts';

/** What a function would write to its log, where a checker reads it. */
export const createCapturedLog = (service: string, signals: Signals<Observer>): Log => ({
  info: (message, fields) => signals.logged(service, 'info', message, fields),
  warn: (message, fields) => signals.logged(service, 'warn', message, fields),
  error: (message, fields) => signals.logged(service, 'error', message, fields),
});

export const createCapturedMetrics = (service: string, signals: Signals<Observer>): Counter & Gauge => ({
  count: (name, value = 1) => signals.counted(service, name, value),
  gauge: (name, value) => signals.counted(service, name, value),
});
