import { sql as fragment, type RawBuilder } from 'kysely'

/**
 * An agent's computed `governance_mode`: its policy's `override_mode`, or its environment's mode where that inherits;
 * null without a policy, and without an environment to inherit from. The query left-joins policies as `policyAlias`
 * and environments as `environmentAlias`.
 */
export function governanceMode(policyAlias = 'p', environmentAlias = 'e'): RawBuilder<'enforce' | 'monitor' | null> {
  const [policy, environment] = [fragment.ref(policyAlias), fragment.ref(environmentAlias)]
  return fragment`case ${policy}.override_mode when 'inherit' then ${environment}.governance_mode
    else ${policy}.override_mode end`
}

/** `governanceMode` for statements written as text, with the aliases `p` and `e`. */
export const governanceModeSql = `case p.override_mode when 'inherit' then e.governance_mode else p.override_mode end`
