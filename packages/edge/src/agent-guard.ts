import type { AgentStanding } from './carry/agent-standing.ts'
import type { Decider } from './decide/decider.ts'
import type { Guard } from './guard/guard.ts'
import type { ToolReports } from './inventory/tool-reports.ts'
import type { Attestations } from './report/attestations.ts'

interface GuardParts {
  decider: Decider
  attestations: Attestations
  toolReports: Pick<ToolReports, 'note'>
}

/** Creates a guard, which decides an agent's calls for one caller, such as the gateway. */
export function agentGuard(standing: AgentStanding, { decider, attestations, toolReports }: GuardParts): Guard {
  const holder = {}
  const endings = new Set<() => void>()
  let closed = false
  return {
    async decide(call) {
      if (closed) throw new Error('close() was called on this guard: create a new guard')
      return await decider.decide(call)
    },
    inspectsResults: () => !closed && decider.results.areInspected(),
    async checkResult(decision, value, numbers, wasClosed) {
      if (closed) throw new Error('close() was called on this guard: create a new guard')
      return await decider.results.check(decision, value, numbers, wasClosed)
    },
    noteResult(decision) {
      if (closed) throw new Error('close() was called on this guard: create a new guard')
      return decider.results.receive(decision)
    },
    noteSent(server, decision) {
      if (!closed) decider.results.noteSent(server, decision)
    },
    noteText(server, mayBeEarlier) {
      if (closed) throw new Error('close() was called on this guard: create a new guard')
      return decider.results.receiveText(server, mayBeEarlier)
    },
    maskLine: (line, isCut) => decider.results.maskLine(line, isCut),
    inspectsArguments: () => !closed && decider.results.areArgumentsInspected(),
    async checkSent(decision, value, isRepeated) {
      if (closed) throw new Error('close() was called on this guard: create a new guard')
      return await decider.results.checkSent(decision, value, isRepeated)
    },
    holds: (decision) => !closed && decider.holds(decision),
    withdraw: (decision) => decider.withdraw(decision),
    mayShow: (tool, args) => !closed && decider.mayShow(tool, args),
    mayShowPrompt: (prompt, declared) => !closed && decider.mayShowPrompt(prompt, declared),
    mayList: (tool, definition, declared) => !closed && decider.mayList(tool, definition, declared),
    noteTools(server, definitions) {
      if (closed) return
      decider.results.noteTools(server, definitions)
      toolReports.note(standing.agentId, server, definitions)
    },
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
