import { GetFunctionConfigurationCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { restartEmulator } from '../../../cli/local/emulator.ts';
import { runningEmulator } from '../../../cli/local/running-emulator.ts';
import { TEST_STATE_DIRECTORY } from '../../../scripts/test-emulator.ts';
import { lambda } from './aws-clients.ts';
import { allFunctionNames, endpointUrl } from './deployment.ts';
import { createMapping, deleteMapping, type Mapping, streamMappings } from './lambda-api.ts';

/**
 * The harshest restart an emulator survives. One that this run started is stopped altogether: its invocations end wherever they
 * are, its connections break, and what it held is back half a second later, messages in flight and all. (Killed outright it would
 * come back empty.) Of an emulator that belongs to somebody else all function workers are ended, by a change of every function.
 *
 * What such a stop costs beyond anything AWS does are the stream records nobody had read. Their orders are for the daily sweep to
 * find; their cache entries would stay as they were until their time to live ends.
 *
 * @returns what was restarted
 */
export async function restartAtWork(): Promise<'emulator' | 'workers'> {
  if (runningEmulator(TEST_STATE_DIRECTORY)?.endpointUrl !== endpointUrl) {
    await Promise.all(allFunctionNames().map(endWorkers));
    return 'workers';
  }
  const mappings = await streamMappings();
  await restartEmulator(TEST_STATE_DIRECTORY);
  await Promise.all(mappings.map(mapAnew));
  return 'emulator';
}

/** A stream begins at nought after the restart, the mapping would go on from where it was: as many records would pass it by. */
async function mapAnew({ UUID, FunctionArn, ...mapping }: Mapping): Promise<void> {
  const isSetting = (name: string): boolean => !REPORTED.includes(name);
  const settings = Object.fromEntries(Object.entries(mapping).filter(([name]) => isSetting(name)));
  await deleteMapping(UUID);
  await createMapping({ ...settings, FunctionName: FunctionArn.split(':')[6] });
}

/** What a mapping tells about itself and nobody sets. */
const REPORTED = ['State', 'StateTransitionReason', 'LastModified', 'LastProcessingResult', 'EventSourceMappingArn'];

/** Every change of a function ends its workers, running invocations included. */
async function endWorkers(FunctionName: string): Promise<void> {
  const { Description = '' } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Description }));
}
