// `webhooks list|show|pause|resume`: partners' webhooks at a running gateway, by its operator's API.
import type { Config } from '../base/config/config.js';
import { callGateway, type GatewayOptions, operatorKeyFor, requireGateway } from './gateway.js';
import { countOf, type Report } from './output.js';

/** The options of `webhooks list`. */
export interface ListOptions extends GatewayOptions {
  partner?: string;
  failing?: boolean;
  paused?: boolean;
  disabled?: boolean;
}

/** The members of a webhook that are printed. */
interface WebhookRecord {
  webhookId: string;
  partnerId: string;
  origin: string;
  pausedAt: string | null;
  health: { status: string; consecutiveFailures: number; pending: number; dead: number; failingSince: string | null };
}

interface Page<T> {
  items: T[];
  hasMore: boolean;
  nextCursor: string | null;
}

interface Delivery {
  type: string;
  state: string;
  attempts: { at: string; status: number | null; answer: string | null; error: string | null }[];
}

const PATH = '/v1/admin/webhooks';
const MAX_PAGES = 500;
/** Deliveries that `show` prints. */
const SHOWN = 10;

/** Partners' webhooks, newest first; at most 10,000. @throws DomainError, one sentence. */
export async function listWebhooks(config: Config, options: ListOptions): Promise<Report> {
  const call = await operatorOf(config, options);
  const { partner, failing, paused, disabled } = options;
  const status = (failing && 'failing') || (paused && 'paused') || (disabled && 'disabled');
  const filter = { ...(partner ? { partnerId: partner } : {}), ...(status ? { status } : {}) };
  const webhooks: WebhookRecord[] = [];
  let after: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query: string = new URLSearchParams({ ...filter, ...(after === null ? {} : { after }) }).toString();
    const { items, hasMore, nextCursor } = (await call('GET', `${PATH}?${query}`)) as Page<WebhookRecord>;
    webhooks.push(...items);
    after = nextCursor;
    if (!hasMore) break;
  }
  return { lines: [...webhooks.map(lineOf), countOf(webhooks.length, 'webhook')], json: { webhooks } };
}

/** A webhook and its last attempts, with the responses. @throws DomainError, one sentence. */
export async function showWebhook(config: Config, webhookId: string, options: GatewayOptions): Promise<Report> {
  const call = await operatorOf(config, options);
  const webhook = (await call('GET', pathOf(webhookId))) as WebhookRecord;
  const page = (await call('GET', `${pathOf(webhookId)}/deliveries?limit=${SHOWN}`)) as Page<Delivery>;
  const lines = [JSON.stringify(webhook, null, 2), ...page.items.flatMap(attemptsOf)];
  return { lines, json: { ...webhook, deliveries: page.items } };
}

/** Pauses a webhook: its deliveries wait. @throws DomainError, one sentence. */
export async function pauseWebhook(config: Config, webhookId: string, options: GatewayOptions): Promise<Report> {
  const json = (await (await operatorOf(config, options))('POST', `${pathOf(webhookId)}/pause`)) as WebhookRecord;
  return { lines: [`${webhookId} is paused: its deliveries wait until it is resumed`], json };
}

/** Ends a pause. @throws DomainError, one sentence. */
export async function resumeWebhook(config: Config, webhookId: string, options: GatewayOptions): Promise<Report> {
  const json = (await (await operatorOf(config, options))('POST', `${pathOf(webhookId)}/resume`)) as WebhookRecord;
  return { lines: [`${webhookId} is resumed: ${json.health.pending} deliveries are sent now`], json };
}

const pathOf = (webhookId: string): string => `${PATH}/${encodeURIComponent(webhookId)}`;

async function operatorOf(config: Config, options: GatewayOptions) {
  const url = await requireGateway(config, options);
  const headers = { 'x-admin-api-key': operatorKeyFor(config, options) };
  return (method: string, path: string): Promise<unknown> => callGateway(url, method, path, { headers });
}

function lineOf({ webhookId, partnerId, origin, pausedAt, health }: WebhookRecord): string {
  const since = health.failingSince === null ? '' : ` since ${health.failingSince}`;
  const state = pausedAt === null ? `${health.status}${since}` : `paused since ${pausedAt}`;
  return `${webhookId}  partner ${partnerId}  ${origin}  ${state}  ${health.pending} pending, ${health.dead} dead`;
}

const attemptsOf = ({ type, state, attempts }: Delivery): string[] =>
  attempts.map(({ at, status, answer, error }) =>
    `${at}  ${type}  ${state}  ${status ?? error}  ${answer ?? ''}`.trimEnd(),
  );
