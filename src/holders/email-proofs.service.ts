// Proofs that a browser belongs to the owner of an e-mail address, for pages of the gateway: login codes (contract §4.5) that open no session.
import type { ClientSession } from 'mongoose';
import { badInput } from '../base/errors.js';
import { emailText } from './email.js';
import type { Logins } from './login.js';

/** Mails codes and checks them. */
export class EmailProofs {
  constructor(private readonly logins: Logins) {}

  /**
   * Mails a code. @param page the page that asks, such as `issuer:club`: no id of a partner, so that its codes open no session
   * @param address the client's IP address
   * @param claim stores the login where it belongs; false: nothing is mailed
   * @throws DomainError BAD_USER_INPUT (email), RATE_LIMITED, STORE_UNAVAILABLE.
   */
  async begin(
    page: string,
    email: unknown,
    address: string,
    claim: (loginId: string) => Promise<boolean>,
  ): Promise<void> {
    const parsed = emailText.safeParse(email);
    if (!parsed.success) throw badInput('That is not an e-mail address.', 'email');
    await this.logins.begin({ email: parsed.data, partnerId: page }, address, claim);
  }

  /**
   * Proves that a login is of the owner of its address; a new address becomes a holder. A code is good once.
   * @param use what follows for the holder of this id, in the transaction that spends the code
   * @throws DomainError NOT_FOUND, GONE (expired, used, five wrong codes), BAD_USER_INPUT (code), RATE_LIMITED; and as `use`.
   */
  confirm<T>(
    login: { loginId: string; code: string; address: string },
    use: (holderId: string, session: ClientSession) => Promise<T>,
  ): Promise<T> {
    return this.logins.confirm(login, ({ _id }, session) => use(_id, session));
  }
}
