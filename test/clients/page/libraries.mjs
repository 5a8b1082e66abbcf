// What applications load: viem, ethers and wagmi, as they come. Bundled into a page.
import {
  connect,
  createConfig,
  disconnect,
  getAccount,
  getConnectors,
  injected,
  reconnect,
  signMessage,
  switchChain,
} from '@wagmi/core';
import { BrowserProvider, verifyMessage } from 'ethers';
import { createPublicClient, createWalletClient, custom, defineChain, http } from 'viem';

const chain = defineChain({
  id: 31_337,
  name: 'devnet',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://localhost'] } },
});

window.viem = (provider) => ({
  wallet: createWalletClient({ chain, transport: custom(provider) }),
  reader: createPublicClient({ chain, transport: custom(provider) }),
});
window.ethers = (provider) => new BrowserProvider(provider);
window.ethersVerify = verifyMessage;
window.wagmi = () => {
  const config = createConfig({ chains: [chain], transports: { [chain.id]: http() } });
  const found = () => getConnectors(config).find(({ type, id }) => type === 'injected' && id === 'localhost');
  return {
    connectors: () => getConnectors(config).map(({ id, name }) => [id, name]),
    connect: () => connect(config, { connector: found() ?? injected() }),
    reconnect: () => reconnect(config),
    disconnect: () => disconnect(config),
    sign: (message) => signMessage(config, { message }),
    switchTo: (chainId) => switchChain(config, { chainId }),
    account: () => {
      const { address, status, chainId } = getAccount(config);
      return { address, status, chainId };
    },
  };
};
