import { type CompiledPolicy, compilePolicy } from '@mandate/policy/evaluate'
import type { Snapshot } from '@mandate/policy/types'
import { Pauses } from '../../../concurrency/pauses.ts'
import type { InForce } from '../../edge/profiles/profile-states.ts'
import { mostItems } from '../../findings/cases/case-items.ts'
import type { ChangedTool } from '../../findings/tools/settle-changed-tools.ts'
import { deciderOf } from '../reach/reach.ts'
import type { ChangedRow } from './changed-queries.ts'

/** At most this many policies, and their results, are kept. */
const mostPolicies = 200
/** If the policy asks who calls, at most this many tools are looked at for each agent. */
const mostByAgent = 500

/**
 * Finds the changed tools that agents may call. Agents whose policy does not ask who calls share the result, so that the work does not grow with the
 * number of agents. A result has as many definitions as a finding keeps.
 */
export class CallableTools {
  private readonly rows: readonly ChangedRow[]
  private readonly compiled = new Map<string, CompiledPolicy>()
  private readonly shared = new Map<string, readonly ChangedTool[]>()
  private readonly pauses = new Pauses()

  constructor(rows: readonly ChangedRow[]) {
    this.rows = rows
  }

  async by(inForce: InForce): Promise<readonly ChangedTool[]> {
    const { state, policy } = inForce
    if (policy === null) return []
    const version = versionOf(state)
    const known = this.shared.get(version)
    if (known) return known
    const compiled = this.compile(version, policy)
    const found = await this.find(inForce, compiled.asksAgent ? this.rows.slice(0, mostByAgent) : this.rows)
    if (!compiled.asksAgent) keep(this.shared, version, found)
    return found
  }

  /** Whether the policy asks who calls, so that the agents that have it may call different tools. */
  asksWho({ state, policy }: InForce): boolean {
    return policy !== null && this.compile(versionOf(state), policy).asksAgent
  }

  private compile(version: string, policy: Snapshot): CompiledPolicy {
    const compiled = this.compiled.get(version) ?? compilePolicy(policy)
    keep(this.compiled, version, compiled)
    return compiled
  }

  /** The verdict `depends` counts as callable. */
  private async find(inForce: InForce, rows: readonly ChangedRow[]): Promise<readonly ChangedTool[]> {
    const decide = deciderOf(inForce, this.compiled)
    const found: ChangedTool[] = []
    for (const { id, tool, labels, hashes } of rows) {
      if (found.length >= mostItems) break
      await this.pauses.between()
      // The definitions of a changed tool may declare different arguments.
      if (decide({ id, tool, labels, state: 'changed', closed: false, declared_args: null }).verdict === 'deny')
        continue
      found.push(...hashes.map((hash) => ({ tool_id: id, tool, hash })))
    }
    return found.slice(0, mostItems)
  }
}

const versionOf = ({ policy_id, policy_version }: InForce['state']) => `${policy_id} ${policy_version}`

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= mostPolicies && !map.has(key)) map.clear()
  map.set(key, value)
}
