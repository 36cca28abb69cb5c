import type { Command } from 'commander';
import { type Clients, createClients } from './aws/clients.ts';
import { readOutputs, type StackOutputs } from './aws/deployment.ts';
import { profileOf, refuseUnknownProfile } from './aws/profiles.ts';
import { nothingDeployed, resolveTarget, type Target, type TargetOptions } from './aws/target.ts';
import { CliError } from './output/cli-error.ts';

/** Options every command takes, before or after its name. */
export interface GlobalOptions extends TargetOptions {
  readonly json?: boolean;
}

export const globalOptions = (command: Command): GlobalOptions => command.optsWithGlobals<GlobalOptions>();

/** A deployment found by its stack outputs, and the clients to look at it with. */
export interface Session {
  readonly target: Target;
  readonly clients: Clients;
  readonly outputs: StackOutputs;
  readonly json: boolean;
  /** One output by name. @throws CliError when the deployment does not have it */
  output(name: string): string;
}

/** @throws CliError when the stage is not deployed */
export async function withSession<Result>(options: GlobalOptions, act: (session: Session) => Promise<Result>): Promise<Result> {
  const target = resolveTarget(options);
  refuseUnknownProfile(profileOf(target));
  const clients = createClients(target);
  try {
    const outputs = await readOutputs(clients.cloudFormation, target.stage, target.endpointUrl);
    if (outputs === undefined) throw nothingDeployed(target);
    return await act(sessionOf(target, clients, outputs, options.json ?? false));
  } finally {
    clients.close();
  }
}

export function sessionOf(target: Target, clients: Clients, outputs: StackOutputs, json: boolean): Session {
  const output = (name: string): string => {
    const value = outputs[name];
    if (value === undefined)
      throw new CliError(
        `Stage ${target.stage} has no output ${name}: deploy it again with \`npm run andal -- deploy --stage ${target.stage}\`.`,
      );
    return value;
  };
  return { target, clients, outputs, json, output };
}
