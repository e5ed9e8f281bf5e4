import type { Section } from './rule.ts'
import { agents } from './rules/agents.ts'
import { apiKeys } from './rules/api-keys.ts'
import { authentication } from './rules/authentication.ts'
import { concepts } from './rules/concepts.ts'
import { environments } from './rules/environments.ts'
import { errors, limits } from './rules/errors-and-limits.ts'
import { events } from './rules/events.ts'
import { platforms } from './rules/platforms.ts'
import { policies } from './rules/policies.ts'
import { tenants } from './rules/tenants.ts'
import { users } from './rules/users.ts'

/** The areas of the interface document, in its order. */
export const sections: Section[] = [
  concepts,
  users,
  tenants,
  environments,
  agents,
  platforms,
  apiKeys,
  policies,
  authentication,
  events,
  errors,
  limits,
]
