// Partners' webhooks for operators: health, queue, the last calls with their responses; pause and resume.
import { useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import {
  LastCallsDocument,
  type PartnerWebhookFactsFragment,
  type PartnerWebhookFilter,
  PartnerWebhooksDocument,
  PauseWebhookDocument,
  ResumeWebhookDocument,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { Facts } from '../catalog/entry.js';
import { QueryOf } from '../parts/query.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { counted, Moment, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';

const FILTERS: readonly PartnerWebhookFilter[] = ['FAILING', 'PAUSED', 'DISABLED'];

export function WebhooksPage({ isAll }: { isAll: boolean }) {
  const given = new URLSearchParams(useSearch()).get('status');
  const status = FILTERS.find((each) => each === given);
  const [after, setAfter] = useState<string>();
  const [, navigate] = useLocation();
  const variables = { ...(status ? { status } : {}), ...(after ? { after } : {}) };
  const view = useView(PartnerWebhooksDocument, variables);
  const choose = (value: string): void => {
    setAfter(undefined);
    navigate(`/operator/webhooks?status=${value}`, { replace: true });
  };
  return (
    <>
      <Title text="Partners’ webhooks" />
      <search class="filters">
        <label>
          State
          <select value={status ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">All</option>
            {FILTERS.map((each) => (
              <option key={each} value={each}>
                {each.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={view.reload}>
          Read again
        </button>
      </search>
      <Shown view={view}>
        {({ partnerWebhooks: { totalCount, nodes, pageInfo } }) => (
          <>
            <p role="status">{counted(totalCount, 'webhook')}, newest first.</p>
            <ul class="lines">
              {nodes.map((webhook) => (
                <Webhook key={webhook.webhookId} webhook={webhook} isAll={isAll} reload={view.reload} />
              ))}
            </ul>
            {pageInfo.hasNextPage && (
              <button type="button" onClick={() => setAfter(pageInfo.endCursor ?? undefined)}>
                Older ones
              </button>
            )}
          </>
        )}
      </Shown>
      <QueryOf document={PartnerWebhooksDocument} variables={variables} />
    </>
  );
}

interface WebhookProps {
  webhook: PartnerWebhookFactsFragment;
  isAll: boolean;
  reload(): void;
}

function Webhook({ webhook, isAll, reload }: WebhookProps) {
  const { webhookId, partnerId, origin, types, pausedAt, health } = webhook;
  const [isOpen, setOpen] = useState(false);
  const pause = useAction(PauseWebhookDocument);
  const resume = useAction(ResumeWebhookDocument);
  const action = pausedAt ? resume : pause;
  const act = async (): Promise<void> => {
    if (await action.run({ input: { webhookId } })) reload();
  };
  return (
    <li class={health.status === 'FAILING' ? 'fault' : undefined}>
      <h2>
        <Text text={origin} />
      </h2>
      <Facts
        facts={{
          Partner: <code>{partnerId}</code>,
          State: pausedAt ? 'paused by an operator' : health.status.toLowerCase(),
          'Paused since': pausedAt && <Moment time={pausedAt} />,
          'Failing since': health.failingSince && <Moment time={health.failingSince} />,
          'Last success': health.lastSuccessAt && <Moment time={health.lastSuccessAt} />,
          Queue: `${counted(health.pending, 'delivery', 'deliveries')} pending, ${health.dead} dead`,
          Types: <Text text={types.join(', ')} />,
        }}
      />
      {isAll && (
        <button type="button" disabled={action.isRunning} onClick={() => void act()}>
          {pausedAt ? 'Resume' : 'Pause'}
        </button>
      )}
      <Said fault={pause.fault ?? resume.fault} />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Last calls</summary>
        {isOpen && <LastCalls webhookId={webhookId} />}
      </details>
    </li>
  );
}

function LastCalls({ webhookId }: { webhookId: string }) {
  const view = useView(LastCallsDocument, { webhookId });
  return (
    <Shown view={view}>
      {({ partnerWebhookDeliveries: { nodes } }) => (
        <ol>
          {nodes.flatMap(({ deliveryId, type, state, attempts }) =>
            attempts.map(({ at, status, answer, error }) => (
              <li key={`${deliveryId}${at}`}>
                <Moment time={at} />: {type}, {state.toLowerCase()}, {status ?? <Text text={error ?? ''} />}
                {answer && (
                  <>
                    {': '}
                    <Text text={answer} />
                  </>
                )}
              </li>
            )),
          )}
        </ol>
      )}
    </Shown>
  );
}
