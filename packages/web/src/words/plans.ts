import type { Schema } from '@mandate/sdk'

export const planNames: Record<Schema<'Tenant'>['plan'], string> = {
  free: 'Free',
  pro: 'Pro',
  enterprise: 'Enterprise',
}
