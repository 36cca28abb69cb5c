import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Dependency } from '#shared/worker/define-job.ts';

/** What a stage decides. Constructs read these values and never the stage's name, so a new stage is one more column here. */
export interface Settings {
  readonly stage: Stage;
  /** Account and region where they are fixed; left out, the stack goes where the caller's credentials point. */
  readonly env: { readonly account: string; readonly region: string } | undefined;
  /** What becomes of tables, queues and logs when their stack goes. */
  readonly whenRemoved: 'destroy' | 'retain';
  /** Deletion protection of tables and termination protection of stacks. */
  readonly deletionProtection: boolean;
  readonly pointInTimeRecovery: boolean;
  readonly logRetentionDays: 1 | 14 | 90;
  /** Multiplies every declared duration and retry delay. */
  readonly timeScale: number;
  /** How long the payment provider remembers an idempotency key (24 h at Stripe). */
  readonly providerKeyHorizonSeconds: number;
  /** How long after its intent an unanswered outcome becomes a dead letter. */
  readonly unresolvedAfterSeconds: number;
  /** Calls per second that all workers together may make to a dependency. */
  readonly rateLimits: Readonly<Record<Dependency, number>>;
  /** Upper bound for every kind's concurrency; undefined where the definitions decide. A laptop runs one process per concurrent batch. */
  readonly maxConcurrency: number | undefined;
  readonly streamFailureMode: 'throw' | 'report';
  readonly cacheTtlSeconds: number;
  readonly apiAuthorization: 'none' | 'iam';
  readonly enforceSsl: boolean;
  /** Where the emulator answers, without a trailing slash; undefined on AWS. */
  readonly emulatorEndpoint: string | undefined;
  /** Base URL of the payment provider; undefined where the stage brings its own sandbox. */
  readonly paymentProviderUrl: string | undefined;
  /** Folder that holds one folder per function. */
  readonly functionsFolder: string;
}

export interface SettingsInput {
  /** Context value `stage`. */
  readonly stage?: unknown;
  /** Context value `paymentProviderUrl`. */
  readonly paymentProviderUrl?: unknown;
  /** AWS_ENDPOINT_URL, read in stage local only. */
  readonly endpointUrl?: string | undefined;
  readonly region?: string | undefined;
}

/** The caller passed something no stage can be built from; the message says what to pass instead. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export const STAGES = ['local', 'test', 'prod'] as const;
export type Stage = (typeof STAGES)[number];

/** Emulators own this account. A local stack names it, so its open API cannot be deployed to a real account by accident. */
const EMULATOR_ACCOUNT = '000000000000';
const DEFAULT_EMULATOR_ENDPOINT = 'http://127.0.0.1:4566';

const stageSchema = z.enum(STAGES, {
  error: ({ input }) => `Stage ${JSON.stringify(input)} does not exist. Pass -c stage=local, -c stage=test or -c stage=prod.`,
});
const providerUrlSchema = z.url({
  protocol: /^https$/,
  error:
    'Stage prod charges through a real payment provider and brings no sandbox. Pass its base URL with -c paymentProviderUrl=https://… (https only), or deploy -c stage=test to use the sandbox.',
});
const noProviderUrlSchema = z.undefined({
  error:
    'paymentProviderUrl is for stage prod; stages local and test deploy their own payment sandbox. Leave it out, or pass -c stage=prod.',
});
const endpointSchema = z.url({
  protocol: /^https?$/,
  error: `AWS_ENDPOINT_URL is not an http URL. Set it to where the emulator answers, for example ${DEFAULT_EMULATOR_ENDPOINT}, or unset it.`,
});

/** @throws SettingsError when the input names no stage or does not fit the one it names */
export function readSettings(input: SettingsInput): Settings {
  const stage = parse(stageSchema, input.stage ?? 'local');
  const paymentProviderUrl = parse(stage === 'prod' ? providerUrlSchema : noProviderUrlSchema, input.paymentProviderUrl);
  return { stage, paymentProviderUrl, functionsFolder: fileURLToPath(new URL('../functions', import.meta.url)), ...valuesOf(stage, input) };
}

type StageValues = Omit<Settings, 'stage' | 'paymentProviderUrl' | 'functionsFolder'>;

function valuesOf(stage: Stage, input: SettingsInput): StageValues {
  if (stage === 'local') return localValues(input);
  const onAws = {
    env: undefined,
    timeScale: 1,
    providerKeyHorizonSeconds: 24 * 3600,
    unresolvedAfterSeconds: 48 * 3600,
    rateLimits: { 'payment-provider': 100 },
    maxConcurrency: undefined,
    streamFailureMode: 'report',
    apiAuthorization: 'iam',
    enforceSsl: true,
    emulatorEndpoint: undefined,
    cacheTtlSeconds: 300,
  } as const;
  if (stage === 'test') {
    return { ...onAws, whenRemoved: 'destroy', deletionProtection: false, pointInTimeRecovery: true, logRetentionDays: 14 };
  }
  return { ...onAws, whenRemoved: 'retain', deletionProtection: true, pointInTimeRecovery: true, logRetentionDays: 90 };
}

function localValues({ endpointUrl, region }: SettingsInput): StageValues {
  return {
    env: { account: EMULATOR_ACCOUNT, region: region ?? 'us-east-1' },
    whenRemoved: 'destroy',
    deletionProtection: false,
    pointInTimeRecovery: false,
    logRetentionDays: 1,
    timeScale: 0.1,
    providerKeyHorizonSeconds: 24 * 3600,
    unresolvedAfterSeconds: 48 * 3600,
    rateLimits: { 'payment-provider': 200 },
    maxConcurrency: 2,
    // The emulator takes a partial batch response of a stream for success and would lose the record.
    streamFailureMode: 'throw',
    cacheTtlSeconds: 300,
    apiAuthorization: 'none',
    // Emulators speak HTTP; a queue that insists on TLS refuses everyone there.
    enforceSsl: false,
    emulatorEndpoint: parse(endpointSchema, endpointUrl ?? DEFAULT_EMULATOR_ENDPOINT).replace(/\/+$/, ''),
  };
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.map((issue) => issue.message).join(' '));
}
