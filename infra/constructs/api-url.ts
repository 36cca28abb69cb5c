import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Settings } from '../settings.ts';

/** Base URL without a trailing slash. An emulator's API host name does not resolve outside curl, so there the path form is used. */
export const apiUrl = (api: HttpApi, { emulatorEndpoint }: Settings): string =>
  emulatorEndpoint === undefined ? api.apiEndpoint : `${emulatorEndpoint}/_aws/execute-api/${api.apiId}/$default`;
