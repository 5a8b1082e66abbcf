// Roles of operators' keys.
import type { OperatorKeyRole } from './generated/graphql.js';

const RANKS: readonly OperatorKeyRole[] = ['READ', 'CATALOG', 'ALL'];

/** Whether a key may do what needs a role. */
export const may = (role: OperatorKeyRole, needed: OperatorKeyRole): boolean =>
  RANKS.indexOf(role) >= RANKS.indexOf(needed);
