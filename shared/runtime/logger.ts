import { Logger } from '@aws-lambda-powertools/logger';

/** Lines for people and for queries: ids and counts, never payloads. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** Structured lines on one service name. */
export const createLogger = (serviceName: string): Logger => new Logger({ serviceName });
