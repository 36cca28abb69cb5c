import {
  type CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  type Stack,
} from '@aws-sdk/client-cloudformation';

/** One stack, or undefined where there is none. */
export async function describeStack(client: CloudFormationClient, name: string): Promise<Stack | undefined> {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: name }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && /does not exist/i.test(error.message)) return undefined;
    throw error;
  }
}

export const isComplete = (stack: Stack): boolean => /^(CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(stack.StackStatus ?? '');

export interface StackResource {
  readonly logicalId: string;
  readonly physicalId: string;
  readonly type: string;
}

export async function stackResources(client: CloudFormationClient, stackName: string): Promise<StackResource[]> {
  const resources: StackResource[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: stackName })) {
    for (const { LogicalResourceId, PhysicalResourceId, ResourceType } of page.StackResourceSummaries ?? []) {
      resources.push({ logicalId: LogicalResourceId ?? '', physicalId: PhysicalResourceId ?? '', type: ResourceType ?? '' });
    }
  }
  return resources;
}

export interface Template {
  readonly Resources?: Record<string, { readonly Type: string; readonly Properties?: Record<string, unknown> }>;
}

export async function stackTemplate(client: CloudFormationClient, stackName: string): Promise<Template> {
  const { TemplateBody } = await client.send(new GetTemplateCommand({ StackName: stackName }));
  return typeof TemplateBody === 'string' ? (JSON.parse(TemplateBody) as Template) : ((TemplateBody ?? {}) as Template);
}
