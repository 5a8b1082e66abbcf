// Why the wallet's frame does not connect. Only to find that out, the page part itself asks the gateway: for its public configuration.
import { CoreServiceError, type CoreServiceErrorName } from '../core/error.js';

/** How long the gateway may take, milliseconds. */
const ASK_MS = 15_000;

/** What the page's Content-Security-Policy has refused of a gateway. Watch from before the frame is made. */
export class Refusals {
  #directives = new Set<string>();
  readonly #note = ({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void => {
    if (blockedURI.startsWith(this.baseUrl)) this.#directives.add(effectiveDirective);
  };

  constructor(private readonly baseUrl: string) {
    document.addEventListener('securitypolicyviolation', this.#note);
  }

  has(directive: string): boolean {
    return this.#directives.has(directive);
  }

  stop(): void {
    document.removeEventListener('securitypolicyviolation', this.#note);
  }
}

const fault = (name: CoreServiceErrorName, message: string, cause?: unknown): CoreServiceError =>
  new CoreServiceError(name, message, { cause });

const NAMED_ALL =
  'The wallet does not respond. The gateway may be away; or the partnerId is of no partner, its allowedOrigins lack this page’s origin, baseUrl is not ' +
  'the PUBLIC_URL of the gateway, or the frame-src of the page’s Content-Security-Policy does not allow it. Its connect-src does not let this be asked.';

/** The error for a frame that has loaded and says nothing: CONFIG_ERROR with its cause; OFFLINE or TIMEOUT where the gateway is away. */
export async function whyNoConnection(
  baseUrl: string,
  partnerId: string,
  refusals: Pick<Refusals, 'has'>,
): Promise<CoreServiceError> {
  if (refusals.has('frame-src'))
    return fault('CONFIG_ERROR', `The frame-src of this page’s Content-Security-Policy must allow ${baseUrl}.`);
  let response: Response;
  try {
    response = await fetch(`${baseUrl}/v1/client/config?partnerId=${encodeURIComponent(partnerId)}`, {
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(ASK_MS),
    });
  } catch (cause) {
    // The report of a violation may come after the failure.
    await new Promise((resolve) => setTimeout(resolve));
    if (refusals.has('connect-src')) return fault('TIMEOUT', NAMED_ALL, cause);
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
    if (isLate) return fault('TIMEOUT', 'The gateway took too long; try again.', cause);
    return fault('OFFLINE', 'The gateway cannot be reached; check the connection, and baseUrl.', cause);
  }
  const { status } = response;
  if (status === 404) return fault('CONFIG_ERROR', `No partner of the gateway has the partnerId ${partnerId}.`);
  if (status === 403) return fault('CONFIG_ERROR', withoutOrigin());
  if (!response.ok) return fault('OFFLINE', 'The gateway cannot be used right now; try again later.');
  const config = (await response.json().catch(() => ({}))) as { publicUrl?: string; allowedOrigins?: string[] };
  const { publicUrl = baseUrl, allowedOrigins = [] } = config;
  if (new URL(publicUrl).origin !== baseUrl)
    return fault('CONFIG_ERROR', `"baseUrl" must be ${publicUrl}, the PUBLIC_URL of the gateway.`);
  if (!allowedOrigins.includes(location.origin)) return fault('CONFIG_ERROR', withoutOrigin());
  return fault(
    'CONFIG_ERROR',
    'The gateway is there, but its frame is not: something in this browser, or a policy of this page, blocks it.',
  );
}

const withoutOrigin = (): string => `The allowedOrigins of the partner lack this page’s origin, ${location.origin}.`;
