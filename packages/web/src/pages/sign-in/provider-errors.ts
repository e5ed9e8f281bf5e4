// The reasons that the address of this page has after a failed sign-in with Google or SAML.
const texts: Record<string, string> = {
  refused: "Your provider's answer was not accepted. Try again, or ask an owner of your organization.",
  unavailable: 'Your provider did not answer. Try again later.',
  no_account: 'No account has your address. Ask for an invitation.',
  address_not_verified: 'Your provider has not verified your address, or it was never verified here.',
  domain_not_served: "Your organization's provider does not speak for your address.",
  seat_limit_reached: 'Your organization has no free seat. Ask an owner.',
  invitation_expired: 'Your invitation has expired. Ask for another one.',
  owner_elsewhere: 'Your address owns another organization.',
  user_elsewhere: 'Your address is in use in another organization.',
}

/** Says why a sign-in with Google or SAML failed. */
export const providerErrors = (reason: string): string =>
  Object.hasOwn(texts, reason) ? (texts[reason] as string) : 'The sign-in failed. Try again.'
