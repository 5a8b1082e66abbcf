// The proof types of stored credentials, by the names that wallets use (contract §4.3).

export const PROOF_TYPES = ['BJJ_SIG_2021', 'IDEN3_MTP', 'SD_JWT_VC', 'BBS_2023', 'JWT_VC'] as const;
export type ProofType = (typeof PROOF_TYPES)[number];
