import * as z from 'zod';

export const STAGES = ['local', 'test', 'prod'] as const;
export type Stage = (typeof STAGES)[number];

/** The caller passed something no stage can be built from; the message says what to pass instead. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** @throws SettingsError with the schema's own words */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.map((issue) => issue.message).join(' '));
}

export const DEFAULT_EMULATOR_ENDPOINT = 'http://127.0.0.1:4566';

export const stageSchema = z.enum(STAGES, {
  error: ({ input }) => `Stage ${JSON.stringify(input)} does not exist. Pass -c stage=local, -c stage=test or -c stage=prod.`,
});
export const providerUrlSchema = z
  .url({
    protocol: /^https$/,
    error:
      'paymentProviderUrl is no https URL. Stage prod charges through a real payment provider: pass its base URL with -c paymentProviderUrl=https://…, or deploy -c stage=test to use the sandbox.',
  })
  .optional();
export const noProviderUrlSchema = z.undefined({
  error:
    'paymentProviderUrl is for stage prod; stages local and test deploy their own payment sandbox. Leave it out, or pass -c stage=prod.',
});
export const endpointSchema = z.url({
  protocol: /^https?$/,
  error: `AWS_ENDPOINT_URL is not an http URL. Set it to where the emulator answers, for example ${DEFAULT_EMULATOR_ENDPOINT}, or unset it.`,
});

export const noJwtSchema = z.undefined({
  error: 'jwtIssuer and jwtAudience are for stages on AWS; the local API asks nobody who they are. Leave them out.',
});
export const rolloutSchema = z.enum(['canary', 'at-once'], {
  error: ({ input }) => `Rollout ${JSON.stringify(input)} does not exist. Leave it out for a canary, or pass -c rollout=at-once.`,
});
export const cacheSchema = z.enum(['dynamodb', 'valkey'], {
  error: ({ input }) => `Cache ${JSON.stringify(input)} does not exist. Leave it out for the table, or pass -c cache=valkey.`,
});
export const noCacheSchema = z.undefined({
  error: 'The emulator has no cache server; the local stage caches in its table. Leave cache out.',
});
export const emailSchema = z
  .email({ error: 'alarmEmail is not a mail address. Pass -c alarmEmail=somebody@example.com, or leave it out.' })
  .optional();
export const issuerSchema = z.url({
  protocol: /^https$/,
  error:
    'jwtIssuer is not an https URL. Pass what the tokens say in "iss", for example -c jwtIssuer=https://issuer.example, together with -c jwtAudience=….',
});
export const audienceSchema = z
  .string({ error: 'An issuer signs tokens for many. Pass what yours say in "aud" with -c jwtAudience=… (commas between several).' })
  .transform((list) =>
    list
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  )
  .refine((list) => list.length > 0, {
    error: 'jwtAudience names nobody. Pass what the tokens say in "aud", or leave jwtIssuer out, too.',
  });

export const senderSchema = z.email({
  error: 'mailFrom is no mail address. Pass the verified sender of receipts with -c mailFrom=orders@shop.example.',
});
export const recipientSchema = z.string().regex(/^[^@\s]*\{userId\}[^@\s]*@[^@\s]+$/);
export const RECIPIENT =
  "mailTo is no address with {userId} before the @. Pass where customers are reached with -c mailTo='{userId}@customers.example'.";
export const noMailSchema = z.undefined({
  error: 'The local stage sends no mail; its receipts are rows of the mail table. Leave mailFrom and mailTo out.',
});
