// Encoding and signing: imported with the first use, so that a gateway whose chain is asked for nothing does not pay for it.

const load = async () => {
  const [utils, accounts] = await Promise.all([import('viem/utils'), import('viem/accounts')]);
  return { ...utils, privateKeyToAccount: accounts.privateKeyToAccount };
};

export type Viem = Awaited<ReturnType<typeof load>>;

let loaded: Promise<Viem> | undefined;

/** The functions of viem that the chain is spoken to with. */
export function viem(): Promise<Viem> {
  loaded ??= load();
  return loaded;
}
