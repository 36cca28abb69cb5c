import { deadLetterQueueOf, mappingIdOf } from '../simulation/cloud/names.ts';
import { FUNCTIONS, QUEUES } from './simulated-names.ts';
import { type CfnTemplate, resourceNamed, resourcesOf } from './synthesize.ts';

/** Function → action → what it is granted on, all in the names of the simulated account. */
export type IamMatrix = Record<string, Record<string, string[]>>;

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** What the roles of these functions are granted. @param functions name → how its logical id begins */
export function iamMatrixOf(template: CfnTemplate, functions: Readonly<Record<string, string>> = FUNCTIONS): IamMatrix {
  const policies = resourcesOf(template, 'AWS::IAM::Policy').map(([, { Properties }]) => Properties);
  return Object.fromEntries(
    Object.entries(functions)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, prefix]) => {
        const [, { Properties }] = resourceNamed(template, 'AWS::Lambda::Function', prefix);
        const role = Properties['Role']['Fn::GetAtt'][0];
        const own = policies.filter(({ Roles }) => Roles.some(({ Ref }: { Ref: string }) => Ref === role));
        return [name, grantsIn(own.flatMap(({ PolicyDocument }) => PolicyDocument.Statement))];
      }),
  );
}

function grantsIn(statements: readonly Statement[]): Record<string, string[]> {
  const grants: Record<string, string[]> = {};
  for (const { Effect, Action, Resource, Condition } of statements) {
    if (Effect !== 'Allow') throw new Error(`a function's role holds a statement with Effect ${Effect}`);
    const where = [Resource].flat().flatMap((resource) => leadingKeysIn(Condition).map((keys) => `${nameOf(resource)}${keys}`));
    for (const action of [Action].flat()) grants[action] = [...new Set([...(grants[action] ?? []), ...where])].sort();
  }
  return Object.fromEntries(Object.entries(grants).sort());
}

/** ` USER#*` for each partition that a statement is limited to; an empty text where it is not limited. */
function leadingKeysIn(condition: unknown): string[] {
  if (condition === undefined) return [''];
  const { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } = {}, ...others } = condition as Record<
    string,
    Record<string, unknown>
  >;
  if (keys === undefined || Object.keys(others).length > 0) throw new Error(`a condition nobody reads here: ${JSON.stringify(condition)}`);
  return [keys].flat().map((key) => ` ${key}`);
}

/** An ARN of the template in the words of the simulated account. */
function nameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  if (text === '"*"') return '*';
  const table = /(State|Cache|Mail|Control|Sandbox)Table/.exec(text)?.[1];
  if (table !== undefined) return `${table}${/Stream/.test(text) ? '/stream' : (/\/index\/[\w*]+/.exec(text)?.[0] ?? '')}`;
  if (text.includes('ExportBucket')) return text.includes('/exports/*') ? 'exports/exports/*' : 'exports';
  if (text.includes('event-source-mapping')) return mappingIdOf(kindOf(/"Ref":"Worker(\w+?)LiveFromQueue/.exec(text)?.[1] ?? text));
  if (/Logs[0-9A-F]{8}/.test(text)) return 'its log group';
  if (text.includes('execute-api')) return 'the sandbox API';
  if (text.includes(':elasticache:')) return text.includes('serverlesscache') ? 'the Valkey cache' : 'the cache user';
  if (text.includes(':ses:')) return 'the sender';
  return queueOf(text);
}

const kindOf = (logical: string): string =>
  Object.keys(FUNCTIONS)
    .find((name) => FUNCTIONS[name] === `Worker${logical}`)
    ?.replace('execute-job/', '') ?? logical;

function queueOf(text: string): string {
  for (const [name, prefix] of Object.entries(QUEUES)) {
    if (text.includes(`"${prefix}DeadLetterQueue`)) return deadLetterQueueOf(name);
    if (text.includes(`"${prefix}Queue`)) return name;
  }
  return text;
}
