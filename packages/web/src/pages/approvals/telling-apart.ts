import type { Approval } from './queries.ts'

type Call = Pick<Approval, 'id' | 'agent_id' | 'tool' | 'arguments'>

/** What tells a call from the others of the same agent and tool: an argument, or only the time. */
export type Difference = { name: string; text: string } | 'time'

const longest = 60
/** Maximum number of characters shown before the first difference. */
const lead = 12

/** What tells a call from others of the same tool by the same agent. Undefined if there is no other. */
export function differenceOf(call: Call, calls: readonly Call[]): Difference | undefined {
  const others = calls.filter(
    ({ id, agent_id: agentId, tool }) => id !== call.id && agentId === call.agent_id && tool === call.tool,
  )
  if (others.length === 0) return undefined
  const own = call.arguments ?? {}
  const names = new Set([...Object.keys(own), ...others.flatMap((other) => Object.keys(other.arguments ?? {}))])
  const differing = [...names].map((name) => {
    const texts = others.map((other) => textOf(other.arguments?.[name]))
    const unequal = texts.filter((text) => text !== textOf(own[name]))
    return { name, unequal, isUnique: unequal.length === texts.length }
  })
  const best =
    differing.find(({ isUnique }) => isUnique) ?? differing.find(({ unequal }) => unequal.length > 0) ?? undefined
  return best ? { name: best.name, text: shortened(textOf(own[best.name]), best.unequal) } : 'time'
}

const textOf = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value))

/** The part of a text that differs from the others. Cuts no character in two. */
function shortened(text: string, others: readonly string[]): string {
  const characters = [...text]
  const equal = Math.max(...others.map((other) => equalStart(characters, [...other])))
  const from = equal < longest - lead ? 0 : equal - lead
  const shown = characters.slice(from, from + longest).join('')
  return `${from > 0 ? '…' : ''}${shown}${from + longest < characters.length ? '…' : ''}`
}

function equalStart(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((character, at) => character !== other[at])
  return end < 0 ? one.length : end
}
