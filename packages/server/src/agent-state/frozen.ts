/**
 * SQL condition: a freeze stops the agent. No agent is frozen, because freezes do not exist yet. All reads of agents use this
 * condition.
 */
export const isFrozenSql = 'false'
