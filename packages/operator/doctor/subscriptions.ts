import { paginateListSubscriptionsByTopic, SNSClient, type Subscription } from '@aws-sdk/client-sns';
import type { CommandContext } from '../cli/context.js';
import { clientConfig } from '../deployment/endpoint.js';
import type { Finding } from './checks.js';
import { NotChecked } from './not-checked.js';

/** SNS says so in the place of the ARN. It lists for a while what was deleted. */
const [PENDING, DELETED] = ['PendingConfirmation', 'Deleted'] as const;

/**
 * Finds alarms that reach nobody: a topic without a subscription, or one that nobody has confirmed.
 * @param topics ARNs of the topics that alarms tell
 * @throws {NotChecked} at an emulator that has no SNS
 */
export async function checkSubscriptions(
  { endpoint }: Pick<CommandContext, 'endpoint'>,
  topics: readonly string[],
): Promise<readonly Finding[]> {
  const client = new SNSClient(clientConfig(endpoint));
  try {
    const found = topics.map(async (topic) => ({ topic, own: await readSubscriptions(client, topic) }));
    return judgeSubscriptions(await Promise.all(found));
  } catch (error) {
    if (endpoint.url === undefined) throw error;
    throw new NotChecked('no SNS at this place');
  } finally {
    client.destroy();
  }
}

async function readSubscriptions(client: SNSClient, TopicArn: string): Promise<readonly Subscription[]> {
  const own: Subscription[] = [];
  for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn }))
    own.push(...Subscriptions);
  return own;
}

/** Judges topics by their subscriptions. It is a pure function. */
export function judgeSubscriptions(
  topics: readonly { readonly topic: string; readonly own: readonly Subscription[] }[],
): readonly Finding[] {
  if (topics.length === 0) {
    const text = 'no alarm tells a topic of SNS: nobody receives them';
    return [{ check: 'subscription', text, advice: 'give the alarms an action, and deploy' }];
  }
  return topics.flatMap(({ topic, own: listed }) => {
    const own = listed.filter(({ SubscriptionArn }) => SubscriptionArn !== DELETED);
    const subscribe = `aws sns subscribe --topic-arn ${topic} --protocol email --notification-endpoint <address>`;
    if (own.length === 0) {
      const text = `nobody has subscribed to ${topic}: alarms reach nobody`;
      return [{ check: 'subscription', text, advice: `name an address in the settings and deploy, or: ${subscribe}` }];
    }
    return own
      .filter(({ SubscriptionArn }) => SubscriptionArn === PENDING)
      .map(({ Endpoint = '?', Protocol = '?' }) => ({
        check: 'subscription',
        text: `${Protocol} to ${Endpoint} is not confirmed: it gets no alarm of ${topic}`,
        advice: `open the link in the message that AWS sent there; if that is too old: ${subscribe.replace('<address>', Endpoint)}`,
      }));
  });
}
