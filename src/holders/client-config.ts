// What client programs in browsers and apps need to know before anyone logs in.
import type { ChainConfig } from '../base/config/chain-config.js';
import { DomainError } from '../base/errors.js';
import { lowerUuid } from '../base/input.js';
import { sandboxPool } from '../evm/contracts.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { ClientConfig } from './types.js';
import type { RelyingParty } from './webauthn.js';

export interface ClientConfigParts {
  partners: PartnerDirectory;
  networkEnv: ClientConfig['networkEnv'];
  publicUrl: string;
  relyingParty: RelyingParty | undefined;
  chain: Pick<ChainConfig, 'kind' | 'chainId'>;
}

const NETWORKS = { devnet: 'devnet', rpc: 'testnet', none: null } as const;

/** The configuration of clients, by their partner. */
export class ClientConfigs {
  constructor(private readonly parts: ClientConfigParts) {}

  /** The configuration; undefined when there is no such partner. */
  async find(partnerId: string): Promise<ClientConfig | undefined> {
    const { partners, networkEnv, publicUrl, relyingParty, chain } = this.parts;
    const id = lowerUuid.safeParse(partnerId).data;
    const partner = id === undefined ? undefined : await partners.find(id);
    if (partner === undefined) return undefined;
    return {
      partnerId: partner._id,
      name: partner.name,
      networkEnv,
      credentialNetwork: NETWORKS[chain.kind],
      publicUrl,
      allowedOrigins: [...partner.allowedOrigins],
      chainId: chain.kind === 'none' ? null : chain.chainId,
      rpId: relyingParty?.rpId ?? null,
      venue: chain.kind === 'devnet' ? (await sandboxPool()).address : null,
    };
  }

  /** The configuration. @throws DomainError NOT_FOUND when there is no such partner. */
  async get(partnerId: string): Promise<ClientConfig> {
    const config = await this.find(partnerId);
    if (config !== undefined) return config;
    throw new DomainError('NOT_FOUND', 'No partner has this partnerId.', { field: 'partnerId' });
  }
}
