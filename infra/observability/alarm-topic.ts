import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { removalPolicyOf } from '../constructs/removal-policy.ts';
import type { Settings } from '../settings.ts';

/**
 * Where alarms go. Encrypted with a key of its own: CloudWatch may not use the key that SNS brings, and an alarm that cannot publish
 * fails in silence.
 */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id);
    const key = new Key(this, 'Key', {
      description: `Andal (${settings.stage}): what alarms say, at rest`,
      enableKeyRotation: true,
      pendingWindow: Duration.days(7),
      removalPolicy: removalPolicyOf(settings),
    });
    this.topic = new Topic(this, 'Topic', { displayName: `Andal ${settings.stage}`, masterKey: key, enforceSSL: settings.enforceSsl });
    const alarms = new ServicePrincipal('cloudwatch.amazonaws.com');
    const conditions = this.onlyAlarmsOfThisAccount();
    key.addToResourcePolicy(
      new PolicyStatement({ principals: [alarms], actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: ['*'], conditions }),
    );
    // A topic with a policy of its own has lost the one that lets its account's alarms publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({ principals: [alarms], actions: ['sns:Publish'], resources: [this.topic.topicArn], conditions }),
    );
    if (settings.alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(settings.alarmEmail));
  }

  private onlyAlarmsOfThisAccount(): Record<string, Record<string, string>> {
    const stack = Stack.of(this);
    const alarms = stack.formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: '*',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return { StringEquals: { 'aws:SourceAccount': stack.account }, ArnLike: { 'aws:SourceArn': alarms } };
  }
}
