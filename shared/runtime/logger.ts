import { Logger } from '@aws-lambda-powertools/logger';

/** Structured lines on one service name. Callers pass ids and counts, never payloads. */
export const createLogger = (serviceName: string): Logger => new Logger({ serviceName });
