/** The templates of all stacks of a stage, read together: what one stack exports and another imports is one resource. */
export interface Deployment {
  readonly resources: readonly DeployedResource[];
  /** The resource that a value of a template refers to, through exports too; undefined for a literal. */
  refersTo(value: unknown, from: DeployedResource): DeployedResource | undefined;
}

export interface DeployedResource {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape CloudFormation decides
  readonly properties: Readonly<Record<string, any>>;
  readonly constructPath: string | undefined;
}

export interface StackTemplate {
  readonly Resources?: Readonly<Record<string, { Type: string; Properties?: object; Metadata?: { 'aws:cdk:path'?: string } }>>;
  readonly Outputs?: Readonly<Record<string, { Value: unknown; Export?: { Name: unknown } }>>;
}

/** @param templates by the name of their stack */
export function deploymentOf(templates: Readonly<Record<string, StackTemplate>>): Deployment {
  const resources = Object.entries(templates).flatMap(([stack, { Resources = {} }]) =>
    Object.entries(Resources).map(([logicalId, { Type: type, Properties: properties = {}, Metadata }]) => ({
      ...{ stack, logicalId, type, properties },
      constructPath: Metadata?.['aws:cdk:path'],
    })),
  );
  const find = (stack: string, id: unknown) => resources.find((one) => one.stack === stack && one.logicalId === id);
  const exported = new Map(
    Object.entries(templates).flatMap(([stack, { Outputs = {} }]) =>
      Object.values(Outputs).flatMap(({ Value, Export }) =>
        Export === undefined ? [] : [[Export.Name, { stack, value: Value }] as const],
      ),
    ),
  );
  const follow = (value: unknown, stack: string): DeployedResource | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    const [name, argument] = Object.entries(value)[0] ?? [];
    if (name === 'Ref') return find(stack, argument);
    if (name === 'Fn::GetAtt') return find(stack, [argument].flat()[0]);
    // The name of an alias is cut out of its ARN and put together again.
    if (name === 'Fn::Join' || name === 'Fn::Select' || name === 'Fn::Split')
      return [argument].flat(2).reduce<DeployedResource | undefined>((found, part) => found ?? follow(part, stack), undefined);
    const import_ = name === 'Fn::ImportValue' ? exported.get(argument) : undefined;
    return import_ === undefined ? undefined : follow(import_.value, import_.stack);
  };
  return { resources, refersTo: (value, from) => follow(value, from.stack) };
}

export const ofType = ({ resources }: Deployment, type: string): DeployedResource[] => resources.filter((one) => one.type === type);

export const nameOf = ({ stack, logicalId, constructPath }: DeployedResource): string =>
  constructPath?.replace(/\/Resource$/, '') ?? `${stack}/${logicalId}`;
