/** An error the service answers with. Everything else thrown inside the fake is a mistake of the test and reaches it as it is. */
export class AwsError extends Error {
  readonly status: number;
  /** Members of the error besides its message, as the service models them (`Item`, `CancellationReasons`). */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(name: string, message: string, options: { status?: number; fields?: Record<string, unknown> } = {}) {
    // An answer like any other, given often, and nobody reads where in the fake it came from: the stack would be most of its cost.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = name;
    this.status = options.status ?? 400;
    this.fields = options.fields ?? {};
  }
}

export const validationError = (message: string): AwsError => new AwsError('ValidationException', message);

export type Answer = { readonly output: Record<string, unknown> } | { readonly error: AwsError };

/** Turns the errors a service answers with into values; lets mistakes of the test through. */
export function answerOf(run: () => Record<string, unknown>): Answer {
  try {
    return { output: run() };
  } catch (error) {
    if (error instanceof AwsError) return { error };
    throw error;
  }
}
