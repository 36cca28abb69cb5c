import { createControlTable } from '#shared/aws/control-table.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import type { Session } from '../session.ts';

/** The rows through which this deployment's workers, its governor and the CLI agree. */
export const controlOf = ({ clients, output }: Session): ControlStore =>
  createControlTable(clients.dynamoDb, output(STACK_OUTPUTS.controlTable));
