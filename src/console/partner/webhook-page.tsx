// One webhook: its ledger of deliveries, dead letters, a test ping, and sending again.
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import {
  type DeliveryFactsFragment,
  PingWebhookDocument,
  RedeliverDocument,
  RemoveWebhookDocument,
  type WebhookDeliveryState,
  WebhookPageDocument,
  type WebhookPageQuery,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { useAfter } from '../catalog/entry.js';
import { Pager } from '../catalog/list-page.js';
import { QueryOf } from '../parts/query.js';
import { Said } from '../parts/said.js';
import { Scrolls } from '../parts/scrolls.js';
import { Shown } from '../parts/shown.js';
import { counted, number, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { Health } from './webhooks-page.js';

const STATES = { DEAD: 'Dead', DELIVERED: 'Delivered', PENDING: 'Pending' } as const;

export function WebhookPage({ id }: { id: string }) {
  const [state, setState] = useState<WebhookDeliveryState | ''>('');
  const after = useAfter();
  const variables = { id, ...(state !== '' && { state }), ...(after !== undefined && { after }) };
  const view = useView(WebhookPageDocument, variables);
  return (
    <>
      <Title text="Webhook" />
      <Shown view={view}>
        {({ webhook, webhookDeliveries }) => (
          <>
            <p>
              <Text text={webhook.url} />
            </p>
            <Health webhook={webhook} />
            <Actions webhook={webhook} reload={view.reload} />
            <section aria-labelledby="deliveries">
              <h2 id="deliveries">{counted(webhookDeliveries.totalCount, 'delivery', 'deliveries')}</h2>
              <label>
                Only{' '}
                <select
                  value={state}
                  onChange={({ currentTarget }) => setState(currentTarget.value as WebhookDeliveryState | '')}
                >
                  <option value="">all</option>
                  {Object.entries(STATES).map(([value, label]) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              </label>
              <ul class="lines">
                {webhookDeliveries.nodes.map((delivery) => (
                  <Delivery key={delivery.deliveryId} delivery={delivery} reload={view.reload} />
                ))}
              </ul>
              <Pager path={`/partner/webhooks/${id}`} search={location.search} info={webhookDeliveries.pageInfo} />
            </section>
          </>
        )}
      </Shown>
      <QueryOf document={WebhookPageDocument} variables={variables} />
    </>
  );
}

function Actions({ webhook: { webhookId }, reload }: { webhook: WebhookPageQuery['webhook']; reload(): void }) {
  const [, navigate] = useLocation();
  const ping = useAction(PingWebhookDocument);
  const remove = useAction(RemoveWebhookDocument);
  const sendPing = async (): Promise<void> => {
    await ping.run({ input: { webhookId } });
    reload();
  };
  const removeIt = async (): Promise<void> => {
    if (!confirm('Delete this webhook with its deliveries?')) return;
    if (await remove.run({ input: { webhookId } })) navigate('/partner/webhooks');
  };
  const pinged = ping.data?.testWebhook.delivery;
  return (
    <>
      <p class="actions">
        <button type="button" disabled={ping.isRunning} onClick={() => void sendPing()}>
          Send a test ping
        </button>
        <button type="button" onClick={reload}>
          Read again
        </button>
        <button type="button" disabled={remove.isRunning} onClick={() => void removeIt()}>
          Delete
        </button>
      </p>
      <Said fault={ping.fault ?? remove.fault}>
        {pinged && (pinged.state === 'DELIVERED' ? 'The ping was delivered.' : `The ping failed: ${whyOf(pinged)}`)}
      </Said>
    </>
  );
}

/** Describes the outcome of a delivery's last attempt. */
function whyOf({ attempts, reason }: DeliveryFactsFragment): string {
  const last = attempts.at(-1);
  if (last?.status) return `it responded with ${last.status}.`;
  return last?.error ?? reason ?? 'there was no attempt.';
}

function Delivery({ delivery, reload }: { delivery: DeliveryFactsFragment; reload(): void }) {
  const { deliveryId, type, state, createdAt, attempts, payload } = delivery;
  const { run, isRunning, fault } = useAction(RedeliverDocument);
  const again = async (): Promise<void> => {
    if (await run({ input: { deliveryId } })) reload();
  };
  return (
    <li>
      <strong>{STATES[state]}</strong> {type},{' '}
      <time dateTime={createdAt}>{createdAt.slice(0, 19).replace('T', ' ')} UTC</time>
      {state !== 'PENDING' && (
        <>
          {' '}
          <button type="button" disabled={isRunning} onClick={() => void again()}>
            Send again
          </button>
        </>
      )}
      {fault && <Said fault={fault} />}
      <details>
        <summary>{counted(attempts.length, 'attempt')}, and what was sent</summary>
        <ol>
          {attempts.map(({ at, status, error, answer, durationMs }) => (
            <li key={at}>
              {at.slice(0, 19).replace('T', ' ')} UTC: {status ?? error} after {number(durationMs)} ms{' '}
              {answer && (
                <code>
                  <Text text={answer} />
                </code>
              )}
            </li>
          ))}
        </ol>
        <Scrolls label="What was sent">
          <pre>{payload}</pre>
        </Scrolls>
      </details>
    </li>
  );
}
