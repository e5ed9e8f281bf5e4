import type { Schema } from '@mandate/sdk'
import { type List, useList } from '../../api/use-list.ts'
import { instanceKey } from './edge-table.tsx'

type FreezeEdge = Schema<'FreezeEdge'>
type State = FreezeEdge['state']

/** The state of receipts in the address. */
export const stateOfSearch = (text: string | undefined): State | undefined => states.find((state) => state === text)

const states: readonly State[] = ['unreachable', 'waiting', 'confirmed']

/** The receipts of a freeze. Each state is read by itself, because the API lists instances by credential and the page shows what is missing first. */
export function useReceipts(id: string, { shown, enabled }: { shown: State | undefined; enabled: boolean }) {
  const unreachable = useStateList(id, 'unreachable', enabled)
  const waiting = useStateList(id, 'waiting', enabled)
  const confirmed = useStateList(id, 'confirmed', enabled)
  const all = joined([unreachable, waiting, confirmed])
  return {
    list: shown === undefined ? all : { unreachable, waiting, confirmed }[shown],
    all: all.rows ?? [],
    isAny: (all.rows ?? []).length > 0,
    confirmed: confirmed.rows,
    waiting: waiting.rows ?? [],
    unreachable: unreachable.rows ?? [],
  }
}

const useStateList = (id: string, state: State, enabled: boolean) =>
  useList(
    'listFreezeEdges',
    { path: { freeze_id: id }, query: { state, page_size: 500 } },
    { keyOf: instanceKey, enabled },
  )

/** Lists one after another. *Show more* continues the first that has more. */
function joined(lists: readonly List<FreezeEdge>[]): List<FreezeEdge> {
  const isRead = lists.every(({ rows }) => rows !== undefined)
  return {
    rows: isRead ? distinct(lists.flatMap(({ rows }) => rows ?? [])) : undefined,
    total: undefined,
    names: {},
    error: lists.find(({ error }) => error)?.error ?? null,
    retry: () => {
      for (const { error, retry } of lists) if (error) retry()
    },
    readMore: lists.find(({ readMore }) => readMore)?.readMore,
    isReading: lists.some(({ isReading }) => isReading),
    isOld: lists.some(({ isOld }) => isOld),
  }
}

/** An instance may be in two lists if it confirmed between their reads. The last list has its newest state. */
const distinct = (rows: readonly FreezeEdge[]) => [...new Map(rows.map((row) => [instanceKey(row), row])).values()]
