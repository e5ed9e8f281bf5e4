import type { AgentStanding } from './carry/agent-standing.ts'
import type { Decider } from './decide/decider.ts'
import type { Guard } from './guard/guard.ts'
import type { Attestations } from './report/attestations.ts'

/** Creates a guard, which decides an agent's calls for one caller, such as the gateway. */
export function agentGuard(standing: AgentStanding, decider: Decider, attestations: Attestations): Guard {
  const holder = {}
  const endings = new Set<() => void>()
  let closed = false
  return {
    async decide(call) {
      if (closed) throw new Error('close() was called on this guard: create a new guard')
      return await decider.decide(call)
    },
    holds: (decision) => !closed && decider.holds(decision),
    mayShow: (tool, args) => !closed && decider.mayShow(tool, args),
    mayShowUris: (tool, prefix) => !closed && decider.mayShowUris(tool, prefix),
    closing: () =>
      closed ? { code: 'no_profile', reason: 'this guard was closed and decides no more calls' } : standing.closing(),
    onPolicyChange(listener) {
      const end = standing.onChange(listener)
      endings.add(end)
      return () => {
        end()
        endings.delete(end)
      }
    },
    attest(mediated) {
      if (!closed) attestations.claim(holder, mediated)
    },
    async close() {
      closed = true
      for (const end of endings) end()
      attestations.claim(holder, null)
    },
  }
}
