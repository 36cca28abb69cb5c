/**
 * Does one thing under a time limit. The timer is an ordinary one, so that a test or a simulator that owns the timers owns this limit too,
 * and it is gone when the thing is done.
 *
 * @param run gets a signal that is aborted with a TimeoutError at the limit
 */
export async function withTimeLimit<Done>(limitMs: number, run: (limit: AbortSignal) => Promise<Done>): Promise<Done> {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new DOMException('the time limit of this call is over', 'TimeoutError')),
    Math.max(1, Math.ceil(limitMs)),
  );
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
