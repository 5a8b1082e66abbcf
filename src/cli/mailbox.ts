// `mailbox`: the mails to an address, as the sandbox stores them instead of sending them. Each has a code, or is a notice.
import type { Config } from '../base/config/config.js';
import { callGateway, type GatewayOptions, operatorKeyFor, requireGateway } from './gateway.js';
import type { Report } from './output.js';

interface Mail {
  subject: string;
  code: string | null;
  text?: string;
  sentAt: string;
}

/** The mails to an address, newest last. @throws DomainError, one sentence. */
export async function showMailbox(config: Config, email: string, options: GatewayOptions): Promise<Report> {
  const url = await requireGateway(config, options);
  const headers = { 'x-admin-api-key': operatorKeyFor(config, options) };
  const path = `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`;
  const json = (await callGateway(url, 'GET', path, { headers })) as { messages: Mail[] };
  const lines = json.messages.map(
    ({ sentAt, code, subject, text = '' }) => `${sentAt}  ${code ?? '------'}  ${subject}${text && `: ${text.trim()}`}`,
  );
  return { json, lines: lines.length > 0 ? lines : [`no mail to ${email}`] };
}
