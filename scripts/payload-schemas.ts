import * as z from 'zod';
import { messageSchema } from '#shared/contract/message.ts';
import { intentHash } from '#shared/idempotency/intent-hash.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import { readPayload } from '#shared/worker/payload-versions.ts';

export type JsonSchema = { readonly [name: string]: unknown };

/** What the worker makes of a payload: the job's identity. The same for a payload in whatever version it is written. */
export interface Identity {
  readonly idempotencyKey: string;
  readonly intentHash: string;
  readonly item: string;
  readonly operation: string;
}

/** The versions whose messages a kind reads, oldest first. */
export const versionsOf = ({ version, versions = {} }: AnyJobDefinition): number[] => [...Object.keys(versions).map(Number), version];

/** JSON Schema of a whole message, envelope included, as the code holds it now. */
export function messageSchemaOf(definition: AnyJobDefinition, version: number): JsonSchema {
  const payload = payloadOf(definition, version);
  const message = messageSchema.extend({ kind: z.literal(definition.kind), version: z.literal(version), payload });
  const { $schema, ...schema } = z.toJSONSchema(message, { io: 'input', unrepresentable: 'throw' });
  return { $schema, title: `${definition.kind}, version ${version}`, ...schema };
}

/** The examples that the kind's file gives for a version. */
export function examplesOf(definition: AnyJobDefinition, version: number): readonly unknown[] {
  const examples = z.globalRegistry.get(payloadOf(definition, version))?.['examples'];
  return Array.isArray(examples) ? examples : [];
}

/** The optional fields of a payload. */
export function optionalFieldsOf(definition: AnyJobDefinition, version: number): string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(payloadOf(definition, version), { io: 'input' });
  return Object.keys(properties).filter((name) => !required.includes(name));
}

/** @returns undefined when the payload is none of that version, or cannot be upgraded */
export function identityOf(definition: AnyJobDefinition, version: number, payload: unknown): Identity | undefined {
  const reading = readPayload({ version, payload }, definition);
  if (reading.kind !== 'read') return undefined;
  const { key, operation } = targetOf(definition, reading.payload);
  return {
    idempotencyKey: definition.key(reading.payload),
    intentHash: intentHash(definition.intent(reading.payload)),
    item: `${key.pk} ${key.sk}`,
    operation,
  };
}

function payloadOf(definition: AnyJobDefinition, version: number): z.ZodType {
  const payload = version === definition.version ? definition.payload : definition.versions?.[version]?.payload;
  if (payload === undefined) throw new RangeError(`${definition.kind} does not read version ${version}`);
  return payload;
}

/** Words for people: they may change whenever somebody finds better ones. */
const WORDS = new Set(['$schema', 'title', 'description', 'examples']);

/**
 * Where two schemas let different messages through. A version is read and written by old and new code at the same time, in a rollout
 * and in a rollback: a narrower schema refuses what waits in the queues, a wider one lets out what old workers refuse. So only the
 * order of things and words for people may differ.
 *
 * Does not protect against a rule that JSON Schema cannot say, such as zod's `refine`.
 *
 * @returns the path of the first difference, undefined when there is none
 */
export function firstDifference(left: unknown, right: unknown, path = ''): string | undefined {
  if (isNode(left) && isNode(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      // Below `properties` stand names of fields, and a field may well be called `title`.
      if (WORDS.has(name) && !path.endsWith('properties')) continue;
      const found = firstDifference(left[name], right[name], path === '' ? name : `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return JSON.stringify(ordered(left)) === JSON.stringify(ordered(right)) ? undefined : path;
}

const isNode = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `required` and `enum` name a set. */
const ordered = (value: unknown): unknown => (Array.isArray(value) ? value.map((entry) => JSON.stringify(entry)).sort() : value);
