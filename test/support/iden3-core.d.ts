// What we use of @iden3/js-iden3-core, whose own types import files without their extension, which NodeNext does not find.
declare module '@iden3/js-iden3-core' {
  export class Id {
    static fromString(text: string): Id;
    string(): string;
    type(): Uint8Array;
  }

  export class SchemaHash {
    constructor(bytes: Uint8Array);
  }

  type ClaimOption = (claim: Claim) => void;

  export const ClaimOptions: { withIndexId(id: Id): ClaimOption };

  export class Claim {
    static newClaim(schema: SchemaHash, ...options: ClaimOption[]): Claim;
    getIndexId(): Id;
    hex(): string;
  }
}
