import { Logger } from '@aws-lambda-powertools/logger';
import { withErrorFacts } from './error-facts.ts';

/** Lines for people and for queries: ids and counts, never payloads. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** Structured lines on one service name; of an error, what may be told of it. */
export function createLogger(serviceName: string): Log {
  const logger = new Logger({ serviceName });
  return {
    info: (message, fields) => logger.info(message, withErrorFacts(fields)),
    warn: (message, fields) => logger.warn(message, withErrorFacts(fields)),
    error: (message, fields) => logger.error(message, withErrorFacts(fields)),
  };
}
