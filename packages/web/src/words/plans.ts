import type { Schema } from '@mandate/sdk'

/** The plans, the lowest first. */
export const planNames: Record<Schema<'Tenant'>['plan'], string> = {
  free: 'Free',
  pro: 'Pro',
  enterprise: 'Enterprise',
}

/** Why a plan does not have a feature, and which plans do. */
export const notInPlan = (plan: Schema<'Tenant'>['plan'], least: unknown) =>
  [`The plan ${planNames[plan]} does not include this feature.`, plansWith(least)].filter(Boolean).join(' ')

/** Which plans include a feature, as a sentence. `least` is the lowest of them. Undefined for a plan that the dashboard does not know. */
export function plansWith(least: unknown): string | undefined {
  const names = Object.values(planNames)
  const from = Object.keys(planNames).indexOf(String(least))
  if (from < 0) return undefined
  const [first, ...more] = names.slice(from)
  return more.length === 0
    ? `The plan ${first} includes it.`
    : `The plans ${[first, ...more].join(' and ')} include it.`
}
