// The requests of the provider (EIP-1193) that the frame serves, in one table.
import type { ProviderErrorData } from '../sdk/core/protocol.js';
import type { RequestArguments } from '../sdk/core/types.js';
import type { ClientConfig } from './config.js';

const UNSUPPORTED = 4_200;
const DISCONNECTED = 4_900;

type RpcAnswer = { value: unknown } | { error: ProviderErrorData };

const chainIdOf = ({ chainId }: ClientConfig, write: (id: number) => string): RpcAnswer =>
  chainId === null
    ? { error: { code: DISCONNECTED, message: 'The gateway has no chain.' } }
    : { value: write(chainId) };

const METHODS: Readonly<Record<string, (config: ClientConfig) => RpcAnswer>> = {
  eth_accounts: () => ({ value: [] }),
  eth_chainId: (config) => chainIdOf(config, (id) => `0x${id.toString(16)}`),
  net_version: (config) => chainIdOf(config, String),
};

/** The response to a request of the provider. */
export async function answerRpc({ method }: RequestArguments, config: ClientConfig): Promise<RpcAnswer> {
  if (Object.hasOwn(METHODS, method)) return METHODS[method]?.(config) as RpcAnswer;
  return { error: { code: UNSUPPORTED, message: `This provider does not have ${method.slice(0, 100)}.` } };
}
