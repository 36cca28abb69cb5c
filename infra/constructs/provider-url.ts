import { Annotations, CfnParameter, type Stack } from 'aws-cdk-lib';

/**
 * A stack that charges for real has no default for whom: it can be synthesised and reviewed without, and CloudFormation takes no
 * deployment until somebody says it.
 */
export function askForProviderUrl(stack: Stack): string {
  Annotations.of(stack).addWarningV2(
    'andal:payment-provider',
    'A deployment of this stack needs the base URL of the payment provider: pass -c paymentProviderUrl=https://….',
  );
  return new CfnParameter(stack, 'PaymentProviderUrl', {
    description: 'Base URL of the payment provider, https only.',
    allowedPattern: '^https://\\S+$',
    constraintDescription: 'an https URL, for example https://payments.example',
  }).valueAsString;
}
