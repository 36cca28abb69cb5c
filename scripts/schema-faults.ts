import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import {
  examplesOf,
  firstDifference,
  type Identity,
  identityOf,
  messageSchemaOf,
  optionalFieldsOf,
  versionsOf,
} from './payload-schemas.ts';
import { readSchema, readShipped, type Shipped, type ShippedJob, schemaFile, sha256Of } from './shipped-schemas.ts';

const RECORD = 'run `npm run schemas` and check in what it writes';

/**
 * What keeps today's code from living beside code and messages that have shipped; `npm run schemas` writes nothing while there is any.
 *
 * @param draft a version nobody has deployed yet, held against nothing
 * @returns one sentence a fault, with the way out
 */
export function breakingChanges(
  directory: string,
  definitions: readonly AnyJobDefinition[],
  draft?: { kind: string; version: number },
): string[] {
  const shipped = readShipped(directory);
  const gone = Object.keys(shipped).filter((kind) => !definitions.some((definition) => definition.kind === kind));
  return [
    ...gone.map(
      (kind) =>
        `${kind} has shipped and is gone: keep it until \`andal drain-report\` finds no message of it, then remove it from shipped.json`,
    ),
    ...definitions.flatMap((definition) => [
      ...removedReaders(definition, shipped),
      ...versionsOf(definition)
        .filter((version) => draft?.kind !== definition.kind || draft.version !== version)
        .flatMap((version) => [
          ...(changedByHand(directory, shipped, definition, version) ?? changedSchema(directory, definition, version)),
          ...changedJobs(shipped, definition, version),
        ]),
    ]),
  ];
}

/** What is not yet, or no longer, as the code has it. */
export function outOfDate(directory: string, definitions: readonly AnyJobDefinition[]): string[] {
  const shipped = readShipped(directory);
  return definitions.flatMap((definition) =>
    versionsOf(definition).flatMap((version) => [
      ...missingExamples(definition, version),
      ...(isRecorded(directory, shipped, definition, version)
        ? []
        : [`docs/schemas/${schemaFile(definition.kind, version)} is out of date: ${RECORD}`]),
    ]),
  );
}

function removedReaders({ kind, version, versions = {}, oldestVersion = 1 }: AnyJobDefinition, shipped: Shipped): string[] {
  return Object.keys(shipped[kind] ?? {})
    .map(Number)
    .filter((old) => old >= oldestVersion && old !== version && !Object.hasOwn(versions, old))
    .map((old) =>
      old > version
        ? `${kind} version ${old} has shipped: this code writes ${version}, and version numbers never go down`
        : `${kind} version ${old} has shipped and cannot be read any more: ${upgradeFrom(old, version)}`,
    );
}

/** What the code is held against is itself held against the hash beside it: a lost or mended file would excuse any change. */
function changedByHand(directory: string, shipped: Shipped, { kind }: AnyJobDefinition, version: number): string[] | undefined {
  const recorded = shipped[kind]?.[version];
  if (recorded === undefined || sha256Of(readSchema(directory, kind, version)) === recorded.sha256) return undefined;
  return [`docs/schemas/${schemaFile(kind, version)} is not the file that \`npm run schemas\` recorded: restore it from version control`];
}

function changedSchema(directory: string, definition: AnyJobDefinition, version: number): string[] {
  const { kind } = definition;
  const before = readSchema(directory, kind, version);
  const path = before && firstDifference(before, messageSchemaOf(definition, version));
  if (path === undefined) return [];
  return [
    `${kind} version ${version} has shipped and would change at ${path}: put the old schema back and ${newVersion(definition, version)}`,
  ];
}

function changedJobs(shipped: Shipped, definition: AnyJobDefinition, version: number): string[] {
  const { kind } = definition;
  return (shipped[kind]?.[version]?.jobs ?? []).flatMap((job, index) => {
    const field = changedField(job, identityOf(definition, version, job.payload));
    if (field === undefined) return [];
    return [
      `${kind} version ${version}, recorded job ${index + 1}: its ${field}. One job in two versions must stay one job, or it runs twice`,
    ];
  });
}

function changedField(before: ShippedJob, now: Identity | undefined): string | undefined {
  if (now === undefined) return 'payload cannot be read any more';
  const fields: readonly (keyof Identity)[] = ['idempotencyKey', 'intentHash', 'item', 'operation'];
  const changed = fields.find((field) => before[field] !== now[field]);
  return changed && `${changed} was ${before[changed]} and would be ${now[changed]}`;
}

function missingExamples(definition: AnyJobDefinition, version: number): string[] {
  const { kind } = definition;
  const examples = examplesOf(definition, version);
  const of = `${kind} version ${version}`;
  if (examples.length === 0) return [`${of} has no example: add \`.meta({ examples: [{ … }] })\` to its payload`];
  const unreadable = examples.some((payload) => identityOf(definition, version, payload) === undefined);
  if (unreadable) return [`${of} has an example that is no payload of it`];
  return optionalFieldsOf(definition, version)
    .filter((field) => new Set(examples.map((payload) => Object.hasOwn(payload as object, field))).size < 2)
    .map((field) => `${of} needs an example with ${field} and one without`);
}

function isRecorded(directory: string, shipped: Shipped, definition: AnyJobDefinition, version: number): boolean {
  const recorded = shipped[definition.kind]?.[version];
  const schema = messageSchemaOf(definition, version);
  return recorded?.sha256 === sha256Of(schema) && sha256Of(readSchema(directory, definition.kind, version)) === recorded.sha256;
}

/** A changed older version needs its schema back and nothing else. */
const newVersion = ({ version: current }: AnyJobDefinition, version: number): string =>
  version < current ? 'change the newest version only' : `give it version ${version + 1} and an upgrade from ${version}`;

const upgradeFrom = (old: number, version: number): string =>
  `give version ${version} an upgrade from ${old}, or set oldestVersion once \`andal drain-report\` finds no message that old`;
