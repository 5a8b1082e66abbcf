// Loads viem at first use, because it takes long; gateways without chain work never load it.

const load = async () => {
  const [utils, accounts] = await Promise.all([import('viem/utils'), import('viem/accounts')]);
  return { ...utils, privateKeyToAccount: accounts.privateKeyToAccount };
};

export type Viem = Awaited<ReturnType<typeof load>>;

let loaded: Promise<Viem> | undefined;

/** The functions of viem for the chain. */
export function viem(): Promise<Viem> {
  loaded ??= load();
  return loaded;
}
