// `webhooks listen`: forwards a partner's events to an address of its own machine, signed as deliveries of webhooks are.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Config } from '../base/config/config.js';
import { badInput, DomainError } from '../base/errors.js';
import { parsedUrl } from '../common/parsed-url.js';
import type { EventItem } from '../events/views.js';
import { deliveryIdOf, payloadOf } from '../webhooks/payload.js';
import { makeSecret, signedHeaders } from '../webhooks/signing.js';
import { writeFault } from './file-fault.js';
import { type GatewayOptions, refusalOf, requireGateway } from './gateway.js';
import type { OutputOptions, Terminal } from './output.js';
import { type TokenOptions, type TokenSource, tokenSource } from './partner-token.js';

export interface ListenOptions extends Pick<GatewayOptions, 'url'>, TokenOptions {
  forward: string;
  types?: string;
  after?: string;
  secretFile?: string;
}

const TIMEOUT_MS = 15_000;
const RECONNECT_MS = 1_000;
/** Ids of deliveries are derived from this name and the event, so that an event always has the same id. */
const NAME = 'listen';

/** Forwards events until the output is closed, the signal aborts, or the process ends. @throws DomainError, one sentence, if the gateway refuses. */
export async function listen(
  config: Config,
  options: ListenOptions & OutputOptions,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<void> {
  const forward = addressOf(options.forward);
  const token = tokenSource(options, 'issue verify');
  const secret = secretOf(options.secretFile);
  const url = await requireGateway(config, options);
  const signer = new Webhook(secret);
  const print = (line: string, json: object) => terminal.write(`${options.json ? JSON.stringify(json) : line}\n`);
  await print(`events of ${url} go to ${forward}\n  secret  ${secret}`, { url, forward, secret });
  for await (const event of eventsOf(url, token, options, signal)) {
    const delivery = { id: deliveryIdOf(NAME, event.id), body: payloadOf(event) };
    const result = await send(forward, signer, delivery);
    const { id: deliveryId } = delivery;
    const line = `${deliveryId} ${event.type} ${result.status ?? result.error}  event ${event.id}`;
    if (!(await print(line, { deliveryId, eventId: event.id, type: event.type, ...result }))) return;
  }
}

/** One attempt, as `DeliveryAttempts` makes it: 15 seconds, and redirects are not followed. */
async function send(
  forward: string,
  signer: Webhook,
  delivery: { id: string; body: string },
): Promise<{ status?: number; error?: string }> {
  const headers = signedHeaders([signer], delivery, new Date());
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(forward, { method: 'POST', redirect: 'manual', headers, body: delivery.body, signal });
    await answer.body?.cancel();
    return { status: answer.status };
  } catch (error) {
    if (signal.aborted) return { error: 'no response in 15 s' };
    const { code = 'the connection broke' } = ((error as Error).cause ?? {}) as { code?: string };
    return { error: code };
  }
}

/** The partner's events from now on, or after one. When a stream ends (a token lives five minutes), another continues after its last event. */
async function* eventsOf(
  url: string,
  token: TokenSource,
  { types, after }: ListenOptions,
  signal?: AbortSignal,
): AsyncGenerator<EventItem> {
  const address = `${url}/v1/events?${new URLSearchParams(types === undefined ? {} : { types })}`;
  let last = after;
  for (let isFirst = true; !signal?.aborted; isFirst = false) {
    const headers = new Headers({ accept: 'text/event-stream', 'x-partner-auth': await token() });
    if (last !== undefined) headers.set('last-event-id', last);
    const answer = await fetch(address, { headers, ...(signal ? { signal } : {}) }).catch(() => undefined);
    if (answer !== undefined) await refuseFinal(answer);
    else if (isFirst) throw new DomainError('STORE_UNAVAILABLE', `The gateway at ${url} cannot be reached.`);
    for await (const { id, data } of framesOf(answer)) {
      last = id ?? last;
      if (id !== undefined && data !== undefined) yield JSON.parse(data) as EventItem;
    }
    await pause(RECONNECT_MS, undefined, signal ? { signal } : {}).catch(() => {});
  }
}

/** @throws DomainError if the gateway would also refuse the next request. */
async function refuseFinal(answer: Response): Promise<void> {
  const { status } = answer;
  if (status >= 400 && status < 500 && status !== 429)
    throw new DomainError('BAD_USER_INPUT', `The gateway refused: ${await refusalOf(answer)}`);
}

/** Frames of text/event-stream; ends with the connection. */
async function* framesOf(answer: Response | undefined): AsyncGenerator<Record<string, string>> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of answer?.ok && answer.body ? answer.body : []) {
      const frames = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) yield Object.fromEntries(frame.split('\n').map(fieldOf));
    }
  } catch {
    // The connection broke. The next one continues after the last event.
  }
}

function fieldOf(line: string): [string, string] {
  const [name = '', ...value] = line.split(': ');
  return [name, value.join(': ')];
}

function addressOf(forward: string): string {
  if (parsedUrl(forward) && /^https?:\/\//i.test(forward)) return forward;
  throw badInput(`--forward must be an address such as http://127.0.0.1:4801/; "${forward}" is none.`);
}

/** The secret in a file, which is created if it does not exist; without a file, a new one. @throws DomainError BAD_USER_INPUT. */
function secretOf(file: string | undefined): string {
  if (file === undefined) return makeSecret();
  try {
    if (!existsSync(file)) writeFileSync(file, `${makeSecret()}\n`, { mode: 0o600, flag: 'wx' });
    const secret = readFileSync(file, 'utf8').trim();
    if (/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) return secret;
  } catch (error) {
    throw badInput(`${file} cannot be used: ${writeFault(error)}.`);
  }
  throw badInput(`${file} contains no webhook secret: "whsec_" and base64.`);
}
