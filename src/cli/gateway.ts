// The gateway that a command calls: its address, the operator's key, and calls of its REST API.
import type { Config } from '../base/config/config.js';
import { OPERATOR_KEY_FILE, readAddress, readSecret } from '../base/data-dir.js';
import { badInput, DomainError } from '../base/errors.js';
import { writeJson } from '../base/json/exact-json.js';
import { isJsonObject } from '../base/json/json-object.js';
import { parsedUrl } from '../common/parsed-url.js';

export interface GatewayOptions {
  url?: string;
  /** The operator's key. */
  key?: string;
}

/** A port that nobody serves refuses at once; a busy machine may take seconds. */
const PROBE_TIMEOUT_MS = 10_000;

/** `url`, or the gateway that serves DATA_DIR, or the one at HOST:PORT; undefined if none responds. */
export async function findGateway(config: Config, { url }: GatewayOptions): Promise<string | undefined> {
  if (url !== undefined) return addressOf(url);
  for (const address of [readAddress(config.dataDir), localAddress(config)])
    if (address !== undefined && (await isGateway(address))) return address;
  return undefined;
}

function addressOf(url: string): string {
  if (parsedUrl(url) && /^https?:\/\//i.test(url)) return url.replace(/\/+$/, '');
  throw badInput(`--url must be an address such as http://127.0.0.1:4000; "${url}" is none.`);
}

/** Like `findGateway`. @throws DomainError STORE_UNAVAILABLE when no gateway responds. */
export async function requireGateway(config: Config, options: GatewayOptions): Promise<string> {
  const url = await findGateway(config, options);
  if (url !== undefined) return url;
  throw new DomainError(
    'STORE_UNAVAILABLE',
    `No gateway responds, neither one of ${config.dataDir} nor one at ${localAddress(config)}: start one with npm start, or give --url.`,
  );
}

/** The local address of a gateway with this configuration. */
function localAddress({ host, port }: Config): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

async function isGateway(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return answer.ok && ((await answer.json()) as { status?: unknown }).status === 'live';
  } catch {
    return false;
  }
}

/** `key`, or ADMIN_API_KEY, or the one in DATA_DIR. @throws DomainError BAD_USER_INPUT when there is none. */
export function operatorKeyFor(config: Config, { key }: GatewayOptions): string {
  const operatorKey = key ?? config.adminApiKey ?? readSecret(config.dataDir, OPERATOR_KEY_FILE);
  if (operatorKey) return operatorKey;
  throw badInput(
    `The operator's key is needed: give --key, set ADMIN_API_KEY, or set DATA_DIR to the gateway's folder.`,
  );
}

/** A call of the REST API; returns the body. @throws DomainError, one sentence, if the gateway refuses or cannot be reached. */
export async function callGateway(
  url: string,
  method: string,
  path: string,
  { headers, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<unknown> {
  const request: RequestInit = {
    method,
    redirect: 'error',
    headers: { 'content-type': 'application/json', ...headers },
  };
  if (body === undefined) request.headers = headers;
  else request.body = writeJson(body);
  const answer = await fetch(url + path, request).catch((cause: unknown) => {
    throw new DomainError('STORE_UNAVAILABLE', `The gateway at ${url} cannot be reached.`, {}, { cause });
  });
  if (!answer.ok) {
    const { status } = answer;
    throw new DomainError(
      'BAD_USER_INPUT',
      `The gateway refused: ${await refusalOf(answer)}`,
      {},
      { cause: { status } },
    );
  }
  return answer.status === 204 ? null : answer.json();
}

/** Whether an error of `callGateway` is a refusal by the gateway, after which nothing has changed (unlike a broken connection). */
export function isRefusal(error: unknown): boolean {
  const { status = 0 } = ((error instanceof DomainError ? error.cause : undefined) as { status?: number }) ?? {};
  return status >= 400 && status < 500;
}

/** The gateway's message for a refused request. */
export async function refusalOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined);
  return isJsonObject(body) && typeof body.message === 'string' ? body.message : `HTTP ${answer.status}`;
}
