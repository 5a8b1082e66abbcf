// Partners whose webhooks fail wholly: every endpoint of theirs that is called has failed, at least twice in a row. For metrics, alerts and health.
import type { LabelledValues, Metrics } from '../base/monitoring/metrics.js';
import type { WebhookModels, WebhookQueueRow, WebhookRow } from './models.js';

/** Failed attempts in a row from which an endpoint counts: a single one may be a restart. */
const MIN_FAILURES = 2;
/** Failing endpoints that are read. */
const MOST = 2_000;
/** Partners with a label of their own in metrics. */
const WORST = 20;
const OTHERS = 'others';

/** A partner none of whose endpoints accepts a call. */
export interface FailingPartner {
  partnerId: string;
  /** Since when all of them fail. */
  since: Date;
  /** How many endpoints it has that are called. */
  endpoints: number;
  /** Failed attempts in a row, of all of them. */
  failures: number;
}

/** What is wrong with webhooks, in one sentence. */
export interface WebhookProblem {
  partners: number;
  /** Since when the first of them fails. */
  since: Date;
  sentence: string;
}

type Failing = Pick<WebhookQueueRow, '_id' | 'failures' | 'failingSince' | 'failedAt'>;

/** Finds failing partners: three commands, however many there are. */
export class WebhookTrouble {
  constructor(private readonly models: Pick<WebhookModels, 'webhooks' | 'webhookQueues'>) {}

  /** The partners whose webhooks fail wholly, longest first. */
  async failing(): Promise<FailingPartner[]> {
    const { webhooks, webhookQueues } = this.models;
    const failing = await webhookQueues
      .find({ failures: { $gte: MIN_FAILURES } }, { failures: 1, failingSince: 1, failedAt: 1 })
      .limit(MOST)
      .lean<Failing[]>();
    if (failing.length === 0) return [];
    const failures = new Map(failing.map((queue) => [queue._id, queue]));
    const owners = await webhooks.find({ _id: { $in: [...failures.keys()] } }, { partnerId: 1 }).lean();
    const partnerIds = [...new Set(owners.map(({ partnerId }) => partnerId))];
    // Disabled and paused endpoints are not called.
    const called = await webhooks
      .find({ partnerId: { $in: partnerIds }, state: 'enabled', pausedAt: null }, { partnerId: 1 })
      .lean<Pick<WebhookRow, '_id' | 'partnerId'>[]>();
    const byPartner = new Map<string, (Failing | undefined)[]>();
    for (const { _id, partnerId } of called)
      byPartner.set(partnerId, [...(byPartner.get(partnerId) ?? []), failures.get(_id)]);
    return [...byPartner]
      .flatMap(([id, queues]) => failingOf(id, queues) ?? [])
      .sort((a, b) => a.since.getTime() - b.since.getTime());
  }

  /** For the list of problems; undefined: there is none. */
  async problem(): Promise<WebhookProblem | undefined> {
    const failing = await this.failing();
    const [first] = failing;
    if (first === undefined) return undefined;
    const of = failing.length === 1 ? `the partner ${first.partnerId}` : `${failing.length} partners`;
    const sentence = `All calls of the webhooks of ${of} fail; "cli webhooks list --failing" shows the responses.`;
    return { partners: failing.length, since: first.since, sentence };
  }
}

/** Undefined unless all of its endpoints fail. */
function failingOf(partnerId: string, queues: readonly (Failing | undefined)[]): FailingPartner | undefined {
  const failing = queues.filter((queue) => queue !== undefined);
  if (failing.length < queues.length) return undefined;
  const since = failing.map(({ failingSince, failedAt }) => (failingSince ?? failedAt ?? new Date()).getTime());
  const failures = failing.reduce((sum, queue) => sum + queue.failures, 0);
  return { partnerId, since: new Date(Math.max(...since)), endpoints: queues.length, failures };
}

/** Registers the metrics: the worst 20 partners by their ids, and the rest as `others`. */
export function measurePartners(metrics: Metrics, trouble: WebhookTrouble, clock: () => number): void {
  const values = async (of: (partner: FailingPartner) => number, rest: (values: number[]) => number) => {
    const failing = await trouble.failing();
    const worst = failing.slice(0, WORST).map((partner) => [partner.partnerId, of(partner)] as const);
    const others = failing.slice(WORST).map(of);
    return Object.fromEntries([...worst, ...(others.length > 0 ? [[OTHERS, rest(others)]] : [])]) as LabelledValues;
  };
  const secondsOf = ({ since }: FailingPartner): number => Math.max(0, clock() - since.getTime()) / 1_000;
  metrics.gauges(
    'partner_webhooks_failing_seconds.partner',
    'How long all calls of the webhooks of a partner have failed: the worst 20, and the longest of the others',
    'store',
    () => values(secondsOf, (all) => Math.max(...all)),
  );
  metrics.gauges(
    'partner_webhook_failures.partner',
    'Failed calls in a row of partners whose webhooks fail wholly: the worst 20, and the sum of the others',
    'store',
    () =>
      values(
        ({ failures }) => failures,
        (all) => all.reduce((sum, value) => sum + value, 0),
      ),
  );
}
