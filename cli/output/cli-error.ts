/** What a run of the CLI tells the shell. */
export const EXIT = { ok: 0, failed: 1, usage: 2, nothingFound: 3, partlyDone: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something a person can act on: one or two sentences, what happened and what to do next. Printed without a stack trace. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, { exitCode = EXIT.failed, cause }: { exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

/** The sentence a person sees for any error. */
export function describeError(error: unknown): string {
  if (error instanceof CliError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const known = KNOWN_ERRORS.find(({ matches }) => matches(error));
  return known === undefined ? `${error.name}: ${error.message}` : known.sentence(error);
}

const codeOf = (error: Error): string =>
  String((error as { code?: unknown }).code ?? (error.cause as { code?: unknown } | undefined)?.code ?? '');

const KNOWN_ERRORS: readonly { matches: (error: Error) => boolean; sentence: (error: Error) => string }[] = [
  {
    matches: (error) => error.name === 'CredentialsProviderError',
    sentence: () => 'No AWS credentials were found. Sign in (for example `aws sso login`) or name a profile with --profile.',
  },
  {
    matches: (error) => /^(ExpiredToken|UnrecognizedClient|InvalidClientTokenId|AccessDenied)/.test(error.name),
    sentence: (error) => `AWS refused the credentials (${error.name}: ${error.message}). Check --profile and --region, or sign in again.`,
  },
  {
    matches: (error) => ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT'].includes(codeOf(error)),
    sentence: (error) =>
      `Nothing answers (${codeOf(error)}). Is AWS_ENDPOINT_URL right, and is the deployment up? Start it with \`npm run andal -- up\`.`,
  },
];
