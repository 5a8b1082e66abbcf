// The partner's webhooks with their health, and a new one, whose secret is shown once.
import { Link } from 'wouter-preact';
import { useDraft } from '../api/drafts.js';
import { AddWebhookDocument, type WebhookFactsFragment, WebhooksDocument } from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { QueryOf } from '../parts/query.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { counted, Day, Name } from '../parts/text.js';
import { Title } from '../parts/title.js';

export function WebhooksPage() {
  const view = useView(WebhooksDocument, {});
  return (
    <>
      <Title text="Webhooks" />
      <Shown view={view}>
        {({ webhooks }) => (
          <>
            <p role="status">{counted(webhooks.length, 'webhook')}.</p>
            <ul class="lines">
              {webhooks.map((webhook) => (
                <li key={webhook.webhookId}>
                  <Link href={`/partner/webhooks/${webhook.webhookId}`}>
                    <Name text={webhook.url} />
                  </Link>
                  <Health webhook={webhook} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
      <NewWebhook added={view.reload} />
      <QueryOf document={WebhooksDocument} variables={{}} />
    </>
  );
}

const STATUSES = {
  DISABLED: 'Disabled',
  FAILING: 'Failing',
  HEALTHY: 'Healthy',
  UNTESTED: 'Nothing was sent yet',
} as const;

export function Health({ webhook: { health, types } }: { webhook: WebhookFactsFragment }) {
  const { status, pending, dead, failingSince, pausedUntil, disabledReason } = health;
  return (
    <p class={status === 'FAILING' || status === 'DISABLED' ? 'fault' : 'counts'}>
      {STATUSES[status]}
      {disabledReason && ` (${disabledReason.toLowerCase().replaceAll('_', ' ')})`}
      {failingSince && (
        <>
          {' '}
          since <Day time={failingSince} />
        </>
      )}
      {pausedUntil && ', paused'}. {counted(pending, 'delivery', 'deliveries')} pending, {dead} dead; for{' '}
      {types.join(', ')}
    </p>
  );
}

function NewWebhook({ added }: { added(): void }) {
  const draft = useDraft('webhook', { url: '', types: 'stored, anchored, revoked' });
  const secret = useDraft('secret', '');
  const { url, types } = draft.value;
  const { run, isRunning, fault } = useAction(AddWebhookDocument);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const list = types.split(/[\s,]+/).filter((type) => type !== '');
    const data = await run({ input: { url, types: list } });
    if (!data) return;
    draft.reset(draft.value);
    secret.keep(data.registerWebhook.secret);
    added();
  };
  return (
    <section aria-labelledby="new-webhook">
      <h2 id="new-webhook">A new webhook</h2>
      <form class="filters" onSubmit={(event) => void submit(event)}>
        <label class="wide">
          Address
          <input
            type="url"
            required
            maxLength={2000}
            value={url}
            onInput={({ currentTarget }) => draft.keep({ url: currentTarget.value, types })}
          />
        </label>
        <label class="wide">
          Types of events
          <input
            type="text"
            required
            value={types}
            onInput={({ currentTarget }) => draft.keep({ url, types: currentTarget.value })}
          />
        </label>
        <button type="submit" disabled={isRunning}>
          Register
        </button>
      </form>
      <Said fault={fault}>
        {secret.value !== '' && (
          <>
            Its secret, shown only now: <code>{secret.value}</code>{' '}
            <button type="button" onClick={() => secret.reset('')}>
              I have it
            </button>
          </>
        )}
      </Said>
    </section>
  );
}
