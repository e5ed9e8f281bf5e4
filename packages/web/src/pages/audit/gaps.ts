import type { Schema } from '@mandate/sdk'

type Entry = Pick<Schema<'AuditEntry'>, 'id' | 'seq'>

/** Entries that a list leaves out between two of its entries. */
export interface Gap {
  from: number
  to: number
}

/** The gaps in the numbers of a list, newest first, by the id of the entry above the gap. An entry that waits for its seal has no number. */
export function gapsOf(entries: readonly Entry[]): ReadonlyMap<string, Gap> {
  const gaps = new Map<string, Gap>()
  const numbered = entries.filter(({ seq }) => seq !== undefined)
  // Entries that were written at the same time may be sealed in another order.
  const shown = new Set(numbered.map(({ seq }) => seq))
  for (const [index, { id, seq: above = 0 }] of numbered.entries()) {
    let to = above - 1
    let from = (numbered[index + 1]?.seq ?? above) + 1
    while (from <= to && shown.has(to)) to--
    while (from <= to && shown.has(from)) from++
    if (from <= to) gaps.set(id, { from, to })
  }
  return gaps
}

export const gapText = ({ from, to }: Gap) => (from === to ? `Entry ${from} is` : `Entries ${from} to ${to} are`)

interface View {
  isAll: boolean
  hasFilters: boolean
  seesEverything: boolean
}

/** Why a list leaves out entries. */
export function gapReason({ isAll, hasFilters, seesEverything }: View): string {
  const reasons = [
    ...(hasFilters ? ['the filters leave them out'] : []),
    ...(isAll ? [] : ['what edges report about agents is only in the tab All']),
    ...(seesEverything ? [] : ['you may see only the entries about your agents and policies']),
  ]
  return reasons.join(', or ') || 'what edges report about agents is only in the tab All'
}
