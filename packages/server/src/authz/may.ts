import { endpoints, type OperationId } from '@mandate/contract/endpoints'
import type { Refusal } from '../refusal.ts'
import type { Member } from './actor.ts'
import { accessRefusal } from './declared-access.ts'

/** The id of an operation, or `operation:variant` for a value that has a rule of its own, such as `inviteUser:owner`. */
export type Action = OperationId | `${OperationId}:${string}`

/**
 * Returns the error that the actor gets for an action on the row, or undefined. The function behind the operation uses the same
 * rule to refuse the action.
 */
export type Rule<Row> = (actor: Member, row: Row) => Refusal | undefined

export type Rules<Row> = { readonly [A in Action]?: Rule<Row> }

/** The rule of an action that only needs the access that its endpoint declares. */
export const byAccessOnly = (): undefined => undefined

/** What the caller may do. `may_not` has the error text of each other action. */
export interface May {
  may: string[]
  may_not: Record<string, string>
}

/**
 * Returns a function that lists which of the actions the actor may take on a row. It uses the declared access of each operation,
 * and then its rule. So it gives the reason that the server gives when the action is sent.
 */
export function mayWith<Row>(actor: Member, rules: Rules<Row>): (row: Row) => May {
  const actions = Object.entries(rules).map(([action, rule]) => ({
    action,
    rule: rule as Rule<Row>,
    denied: accessRefusal(endpoints[operationOf(action)], actor)?.message,
  }))
  return (row) =>
    withoutStackTraces(() => {
      const said: May = { may: [], may_not: {} }
      for (const { action, rule, denied } of actions) {
        const reason = denied ?? rule(actor, row)?.message
        if (reason === undefined) said.may.push(action)
        else said.may_not[action] = reason
      }
      return said
    })
}

/** Runs `work`, which may create thousands of refusals for a page. Most of the time for a refusal is the time for its stack trace. */
function withoutStackTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The operation of an action: `changeLifecycle` for `changeLifecycle:approved`. */
export const operationOf = (action: string) => action.split(':')[0] as OperationId
