import { fileURLToPath } from 'node:url';
import type { Dependency } from '#shared/worker/define-job.ts';
import {
  audienceSchema,
  cacheSchema,
  DEFAULT_EMULATOR_ENDPOINT,
  emailSchema,
  endpointSchema,
  issuerSchema,
  noCacheSchema,
  noJwtSchema,
  noMailSchema,
  noProviderUrlSchema,
  parse,
  providerUrlSchema,
  RECIPIENT,
  recipientSchema,
  rolloutSchema,
  SettingsError,
  type Stage,
  senderSchema,
  stageSchema,
} from './context-values.ts';

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
  /** Where orders are cached: the table of the Data stack, or ElastiCache Serverless in a network of its own. */
  readonly cache: 'dynamodb' | 'valkey';
  /** Sender and recipients of receipts that go out by SES; undefined where the mail table stands for it. */
  readonly receipts: { readonly from: string; readonly to: string } | undefined;
  readonly apiAuthorization: ApiAuthorization;
  /** What the entrance lets through before it answers 429; undefined where nobody else knocks. */
  readonly apiThrottle: { readonly requestsPerSecond: number; readonly burst: number } | undefined;
  /** One line for each request, without path, address or body. */
  readonly apiAccessLogs: boolean;
  readonly enforceSsl: boolean;
  /**
   * `canary`: a new version of a function gets a tenth of the work first and goes back by itself when it fails. `at-once`: it gets
   * all of it, for a repair that cannot wait for alarms to be quiet. `latest`: the alias follows the newest code and settings,
   * which the demos of a laptop exchange under way.
   */
  readonly rollout: 'canary' | 'at-once' | 'latest';
  /** Alarms and their dashboard, in a stack of their own. */
  readonly alarms: boolean;
  /** Who gets a mail when an alarm goes off; undefined leaves the topic without a subscriber. */
  readonly alarmEmail: string | undefined;
  /** X-Ray follows a sample of the requests. */
  readonly tracing: boolean;
  /** Who read which export. Lines arrive for hours, so a stage that is to leave nothing behind cannot keep them. */
  readonly bucketAccessLogs: boolean;
  /** Objects go with their bucket; CloudFormation deletes empty ones only. */
  readonly emptyBuckets: boolean;
  /** Where the emulator answers, without a trailing slash; undefined on AWS. */
  readonly emulatorEndpoint: string | undefined;
  /** The stage brings a payment provider of its own that moves no money. */
  readonly ownSandbox: boolean;
  /** Base URL of the payment provider; undefined beside a sandbox, and where it is asked for when the stack is deployed. */
  readonly paymentProviderUrl: string | undefined;
  /** Folder that holds one folder per function. */
  readonly functionsFolder: string;
}

/** Who may call the order API. */
export type ApiAuthorization =
  | { readonly type: 'none' | 'iam' }
  /** Tokens of this issuer, meant for one of these audiences. */
  | { readonly type: 'jwt'; readonly issuer: string; readonly audience: readonly string[] };

export interface SettingsInput {
  /** Context value `stage`. */
  readonly stage?: unknown;
  /** Context value `paymentProviderUrl`. */
  readonly paymentProviderUrl?: unknown;
  /** Context values `jwtIssuer` and `jwtAudience` (commas between several). */
  readonly jwtIssuer?: unknown;
  readonly jwtAudience?: unknown;
  /** Context value `rollout`. */
  readonly rollout?: unknown;
  /** Context values `mailFrom` and `mailTo`. */
  readonly mailFrom?: unknown;
  readonly mailTo?: unknown;
  /** Context value `cache`. */
  readonly cache?: unknown;
  /** Context value `alarmEmail`. */
  readonly alarmEmail?: unknown;
  /** AWS_ENDPOINT_URL, read in stage local only. */
  readonly endpointUrl?: string | undefined;
  readonly region?: string | undefined;
}

/** Emulators own this account. A local stack names it, so its open API cannot be deployed to a real account by accident. */
const EMULATOR_ACCOUNT = '000000000000';

/** Receipts are rows of the mail table unless someone names a sender and where customers are reached. */
function readReceipts({ mailFrom, mailTo }: SettingsInput): Settings['receipts'] {
  if (mailFrom === undefined && mailTo === undefined) return undefined;
  const to = recipientSchema.safeParse(mailTo);
  if (!to.success) throw new SettingsError(RECIPIENT);
  return { from: parse(senderSchema, mailFrom), to: to.data };
}

/** Callers sign with their AWS credentials unless someone names an issuer of tokens. */
function readAuthorization({ jwtIssuer, jwtAudience }: SettingsInput): ApiAuthorization {
  if (jwtIssuer === undefined && jwtAudience === undefined) return { type: 'iam' };
  return { type: 'jwt', issuer: parse(issuerSchema, jwtIssuer), audience: parse(audienceSchema, jwtAudience) };
}

/** @throws SettingsError when the input names no stage or does not fit the one it names */
export function readSettings(input: SettingsInput): Settings {
  const stage = parse(stageSchema, input.stage ?? 'local');
  const paymentProviderUrl = parse(stage === 'prod' ? providerUrlSchema : noProviderUrlSchema, input.paymentProviderUrl);
  return {
    stage,
    ownSandbox: stage !== 'prod',
    paymentProviderUrl,
    functionsFolder: fileURLToPath(new URL('../functions', import.meta.url)),
    ...valuesOf(stage, input),
  };
}

type StageValues = Omit<Settings, 'stage' | 'ownSandbox' | 'paymentProviderUrl' | 'functionsFolder'>;

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
    apiAuthorization: readAuthorization(input),
    apiThrottle: { requestsPerSecond: 100, burst: 200 },
    apiAccessLogs: true,
    enforceSsl: true,
    rollout: parse(rolloutSchema, input.rollout ?? 'canary'),
    alarms: true,
    alarmEmail: parse(emailSchema, input.alarmEmail),
    tracing: true,
    emulatorEndpoint: undefined,
    cacheTtlSeconds: 300,
    cache: parse(cacheSchema, input.cache ?? 'dynamodb'),
    receipts: readReceipts(input),
  } as const;
  if (stage === 'test') {
    const forgets = { whenRemoved: 'destroy', deletionProtection: false, emptyBuckets: true, bucketAccessLogs: false } as const;
    return { ...onAws, ...forgets, pointInTimeRecovery: true, logRetentionDays: 14 };
  }
  const keeps = { whenRemoved: 'retain', deletionProtection: true, emptyBuckets: false, bucketAccessLogs: true } as const;
  return { ...onAws, ...keeps, pointInTimeRecovery: true, logRetentionDays: 90 };
}

function localValues({ endpointUrl, region, jwtIssuer, jwtAudience, cache, mailFrom, mailTo }: SettingsInput): StageValues {
  parse(noMailSchema, mailFrom ?? mailTo);
  parse(noCacheSchema, cache);
  parse(noJwtSchema, jwtIssuer ?? jwtAudience);
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
    cache: 'dynamodb',
    receipts: undefined,
    apiAuthorization: { type: 'none' },
    apiThrottle: undefined,
    apiAccessLogs: false,
    rollout: 'latest',
    alarms: false,
    alarmEmail: undefined,
    tracing: false,
    bucketAccessLogs: false,
    emptyBuckets: false,
    // Emulators speak HTTP; a queue that insists on TLS refuses everyone there.
    enforceSsl: false,
    emulatorEndpoint: parse(endpointSchema, endpointUrl ?? DEFAULT_EMULATOR_ENDPOINT).replace(/\/+$/, ''),
  };
}
