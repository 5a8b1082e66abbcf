// `partner list|show|retire`: the partners of a running gateway, by its operator's API.
import type { Config } from '../base/config/config.js';
import { callGateway, type GatewayOptions, operatorKeyFor, requireGateway } from './gateway.js';
import { countOf, type Report } from './output.js';

/** The members of a partner's record that are printed. */
interface PartnerRecord {
  partnerId: string;
  name: string;
  scopes: string[];
  issuerDids: string[];
  allowedOrigins: string[];
  createdAt: string;
  keySetProblem: string | null;
}

const PATH = '/v1/admin/partners';
const PAGE = 100;
const MAX_PAGES = 100;

/** All partners that are not retired, newest first; at most 10,000. @throws DomainError, one sentence. */
export async function listPartners(config: Config, options: GatewayOptions): Promise<Report> {
  const call = await operatorOf(config, options);
  const partners: PartnerRecord[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data } = (await call('GET', `${PATH}?page=${page}&limit=${PAGE}`)) as { data: PartnerRecord[] };
    partners.push(...data);
    if (data.length < PAGE) break;
  }
  return { lines: [...partners.map(lineOf), countOf(partners.length, 'partner')], json: { partners } };
}

/** One partner as it was written. @throws DomainError, one sentence. */
export async function showPartner(config: Config, partnerId: string, options: GatewayOptions): Promise<Report> {
  const record = (await (await operatorOf(config, options))('GET', pathOf(partnerId))) as PartnerRecord;
  return { lines: [JSON.stringify(record, null, 2)], json: record };
}

/** Retires a partner for good: its tokens are refused from then on. @throws DomainError, one sentence. */
export async function retirePartner(config: Config, partnerId: string, options: GatewayOptions): Promise<Report> {
  await (await operatorOf(config, options))('DELETE', pathOf(partnerId));
  return { lines: [`${partnerId} is retired: its tokens are refused`], json: { retiredId: partnerId } };
}

const pathOf = (partnerId: string): string => `${PATH}/${encodeURIComponent(partnerId)}`;

async function operatorOf(config: Config, options: GatewayOptions) {
  const url = await requireGateway(config, options);
  const headers = { 'x-admin-api-key': operatorKeyFor(config, options) };
  return (method: string, path: string): Promise<unknown> => callGateway(url, method, path, { headers });
}

const lineOf = ({ partnerId, createdAt, name, scopes, keySetProblem }: PartnerRecord): string =>
  `${partnerId}  ${createdAt}  ${scopes.join(',')}  ${name}${keySetProblem === null ? '' : `  key set: ${keySetProblem}`}`;
