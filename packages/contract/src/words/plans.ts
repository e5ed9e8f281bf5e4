/** The lowest plan that includes each feature that not all plans include. */
export const minimumPlans = { contentRules: 'pro', platforms: 'pro', saml: 'enterprise' } as const
