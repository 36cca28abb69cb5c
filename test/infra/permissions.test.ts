import { describe, expect, it } from 'vitest';
import { jobs } from '#shared/jobs/index.ts';
import { type CfnTemplate, resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

// B34 B88
const { pipeline, sandbox, data } = synthesize('test');

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
}
const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

const statementsOf = (template: CfnTemplate): Statement[] =>
  resourcesOf(template, 'AWS::IAM::Policy').flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement);

/** What the role of one function may do: action → resources, as the template names them. */
function rightsOf(template: CfnTemplate, prefix: string): Map<string, string[]> {
  const [, { Properties }] = resourceNamed(template, 'AWS::Lambda::Function', prefix);
  const roleId = Properties['Role']['Fn::GetAtt'][0];
  const rights = new Map<string, string[]>();
  for (const [, policy] of resourcesOf(template, 'AWS::IAM::Policy')) {
    if (!policy.Properties['Roles'].some(({ Ref }: { Ref: string }) => Ref === roleId)) continue;
    for (const { Action, Resource } of policy.Properties['PolicyDocument'].Statement as Statement[]) {
      for (const action of list(Action))
        rights.set(action, [...(rights.get(action) ?? []), ...list(Resource).map((resource) => JSON.stringify(resource))]);
    }
  }
  return rights;
}

const tablesIn = (rights: Map<string, string[]>): Record<string, string[]> => {
  const actions = [...rights].filter(([action]) => /^dynamodb:(?!ListStreams|DescribeStream|GetRecords|GetShardIterator)/.test(action));
  const tables: Record<string, string[]> = {};
  for (const [action, resources] of actions) {
    for (const resource of resources) {
      const table = /(State|Cache|Mail|Control|Sandbox)Table/.exec(resource)?.[1] ?? resource;
      tables[table] = [...new Set([...(tables[table] ?? []), action.replace('dynamodb:', '')])].sort();
    }
  }
  return tables;
};

describe('rights', () => {
  it('name their resources, but for what AWS knows no resource for: streams to look for, traces, alarms to ask about', () => {
    const wild = [pipeline, sandbox!, data].flatMap(statementsOf).filter(({ Resource }) => list(Resource).includes('*'));
    expect([...new Set(wild.flatMap(({ Action }) => list(Action)))].sort()).toEqual([
      'cloudwatch:DescribeAlarms',
      'dynamodb:ListStreams',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ]);
    expect(wild.filter(({ Action }) => list(Action).includes('dynamodb:ListStreams'))).toHaveLength(2);
    expect(wild.filter(({ Action }) => list(Action).includes('cloudwatch:DescribeAlarms'))).toHaveLength(1);
  });

  it('name their actions', () => {
    for (const { Action } of [pipeline, sandbox!].flatMap(statementsOf))
      for (const action of list(Action)) expect(action).not.toContain('*');
  });

  it('come from this repository alone: no managed policy is attached', () => {
    for (const [, { Properties }] of [pipeline, sandbox!].flatMap((template) => resourcesOf(template, 'AWS::IAM::Role')))
      expect(Properties['ManagedPolicyArns']).toBeUndefined();
  });

  it.each([
    ['OrderApiAcceptOrder', { State: ['PutItem'] }],
    ['OrderApiReadOrder', { State: ['GetItem', 'Query'], Cache: ['DeleteItem', 'GetItem', 'UpdateItem'] }],
    ['OutboxDispatcherDispatchOutbox', {}],
    ['OutboxDispatcherRetryOutbox', {}],
    ['Workercapturepayment', { State: ['UpdateItem'], Control: ['BatchGetItem', 'GetItem', 'UpdateItem'] }],
    ['Workerrefundpayment', { State: ['UpdateItem'], Control: ['BatchGetItem', 'GetItem', 'UpdateItem'] }],
    ['Workersendreceipt', { State: ['UpdateItem'], Control: ['BatchGetItem', 'GetItem'], Mail: ['PutItem', 'Query'] }],
    ['GovernorGovernQueues', { Control: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem'] }],
    ['OrderApiAcceptExport', { State: ['PutItem'] }],
    ['OrderApiAcceptStockAdjustment', { State: ['PutItem'] }],
    ['Workeradjuststock', { State: ['GetItem', 'UpdateItem'], Control: ['BatchGetItem', 'GetItem'] }],
    ['Workerexportorders', { State: ['Query', 'UpdateItem'], Control: ['BatchGetItem', 'GetItem'] }],
    ['CacheInvalidatorInvalidateCache', { Cache: ['DeleteItem'] }],
    ['CacheInvalidatorRetryInvalidation', { Cache: ['DeleteItem'] }],
    ['CacheVerifierVerifyCache', { State: ['GetItem', 'Query'], Cache: ['DeleteItem', 'GetItem', 'Scan'] }],
  ])('let %s touch these tables and no other', (prefix, tables) => {
    expect(tablesIn(rightsOf(pipeline, prefix))).toEqual(tables);
  });
});

describe.each(jobs.map(({ kind }) => kind.replaceAll('-', '')))('the worker %s', (name) => {
  const rights = rightsOf(pipeline, `Worker${name}`);

  it('cannot send to a queue that work comes from, its own included', () => {
    expect(rights.get('sqs:SendMessage')).toEqual([expect.stringContaining(`"Queue${name}DeadLetterQueue`)]);
  });

  it('receives, hands back and deletes on its own queue only', () => {
    for (const action of ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage'])
      expect(rights.get(action)).toEqual([expect.stringContaining(`"Queue${name}Queue`)]);
  });

  it('writes to its own log group', () => {
    expect(rights.get('logs:PutLogEvents')).toEqual([expect.stringContaining(`"Worker${name}Logs`)]);
  });
});

describe('the dispatchers', () => {
  it('send to every job queue; only the first may park what no queue takes', () => {
    const kinds = jobs.map(({ kind }) => kind.replaceAll('-', '')).sort();
    const jobQueues = kinds.map((kind) => expect.stringContaining(`"Queue${kind}Queue`));
    const letters = expect.stringContaining('OutboxFailedDeadLetterQueue');
    const parked = expect.stringContaining('OutboxFailedQueue');
    expect(rightsOf(pipeline, 'OutboxDispatcherRetryOutbox').get('sqs:SendMessage')!.sort()).toEqual(jobQueues);
    const mayDispatch = rightsOf(pipeline, 'OutboxDispatcherDispatchOutbox').get('sqs:SendMessage')!;
    expect(mayDispatch).toHaveLength(jobQueues.length + 2);
    expect(mayDispatch).toEqual(expect.arrayContaining([...jobQueues, letters, parked]));
  });
});

describe('the governor', () => {
  it('changes the mappings of the job queues and no other, those of retries and streams included', () => {
    const mappings = resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping').map(([id]) => id);
    const ofWorkers = mappings.filter((id) => id.startsWith('Worker'));
    const rights = rightsOf(pipeline, 'GovernorGovernQueues');
    for (const action of ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping']) {
      const granted = (rights.get(action) ?? []).map((resource) =>
        mappings.filter((id) => resource.includes(`event-source-mapping:",{"Ref":"${id}"}`)),
      );
      expect(granted.flat().sort()).toEqual(ofWorkers.sort());
      expect(granted.every((ids) => ids.length === 1)).toBe(true);
    }
    expect(ofWorkers).toHaveLength(jobs.length);
  });
});

describe('the export bucket', () => {
  it('is touched by the worker of exports alone, and there below exports/ only', () => {
    const rights = rightsOf(pipeline, 'Workerexportorders');
    const inBucket = [...rights].filter(([action]) => action.startsWith('s3:'));
    expect(inBucket.map(([action]) => action).sort()).toEqual(['s3:AbortMultipartUpload', 's3:GetObject', 's3:ListBucket', 's3:PutObject']);
    for (const [action, resources] of inBucket)
      for (const resource of resources) expect(resource.includes('/exports/*')).toBe(action !== 's3:ListBucket');
    const others = [pipeline, sandbox!]
      .flatMap(statementsOf)
      .filter(({ Action }) => list(Action).some((action) => action.startsWith('s3:')));
    expect(others).toHaveLength(2);
  });
});
