import { StatedError } from '#shared/contract/stated-error.ts';
import { framesOf, nameOfError } from './error-facts.ts';

/**
 * A function's handler whose errors the Lambda runtime may print. It prints all there is of one, members included, past every logger:
 * so what leaves a function is an error of ours that names the class of the first one and the place where it was thrown.
 *
 * Does not protect against what fails before the handler is there; a cold start has seen no payload yet.
 */
export const withoutWords =
  <Arguments extends unknown[], Answer>(handler: (...args: Arguments) => Promise<Answer>) =>
  async (...args: Arguments): Promise<Answer> => {
    try {
      return await handler(...args);
    } catch (error) {
      throw told(error);
    }
  };

function told(error: unknown): StatedError {
  if (error instanceof StatedError && error.cause === undefined && Object.keys(error).length === 0) return error;
  const failure = new StatedError(error instanceof StatedError ? error.message : `failed with ${nameOfError(error)}`);
  failure.name = 'FunctionFailed';
  failure.stack = [`${failure.name}: ${failure.message}`, ...(error instanceof Error ? framesOf(error) : [])].join('\n');
  return failure;
}
