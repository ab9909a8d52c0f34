/** The mailed link: the only URL of the platform that carries a token. */
export function verificationLink(publicBaseUrl: string, transactionId: string, linkToken: string): string {
  return `${publicBaseUrl}/api/v1/identity-migration-transactions/${transactionId}/verify-email/${linkToken}`;
}
