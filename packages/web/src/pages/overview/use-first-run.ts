import type { Answer } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { read, readAgain } from '../../api/queries.ts'
import { useSession } from '../../session/session.ts'
import { doneSteps, firstAgentOf, firstOfPolicy } from './first-steps.ts'

/** Heartbeats are no events, and the stream has decisions only on request, so these reads are repeated while the reader waits for them. */
const waitMs = 2000
/** A page that stays open asks less often after the first minutes. */
const longWaitMs = 30_000
const hurryMs = 10 * 60_000

type FirstQuery = { state: { data?: Answer<'listDecisions'> | undefined } }

/** The checklist of a new organization: whether it is shown, and how far it is. All of it is what the server knows. */
export function useFirstRun() {
  const { tenant, may = [] } = useSession()
  const hiddenKey = `mandate checklist hidden ${tenant.id}`
  const startedKey = `mandate checklist started ${tenant.id}`
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) !== null)
  const [isStarted, setStarted] = useState(() => sessionStorage.getItem(startedKey) !== null)
  const isPossible = !isHidden && (isStarted || may.includes('createAgent'))
  const [openedAt] = useState(Date.now)
  const wait = () => (Date.now() - openedAt < hurryMs ? waitMs : longWaitMs)
  const firstOf = (effect: 'allow' | 'deny') => ({
    ...read('listDecisions', { query: { effect, page_size: 50, include: 'names' } }),
    // The first call is kept: later ones would otherwise take its place.
    enabled: ({ state }: FirstQuery) => isPossible && isStarted && firstOfPolicy(state.data?.data) === undefined,
    refetchInterval: wait,
  })
  const passes = useQuery(firstOf('allow'))
  const pass = firstOfPolicy(passes.data?.data)
  const denials = useQuery(firstOf('deny'))
  const denial = firstOfPolicy(denials.data?.data)
  const isDone = denial !== undefined
  // The chart and the counts beside the checklist show the denied call as soon as the checklist does.
  useEffect(() => {
    if (isDone) void readAgain('getDecisionTimeline', 'getOverview')
  }, [isDone])
  const decisions = useQuery({
    ...read('listDecisions', { query: { page_size: 5, include: 'names' } }),
    enabled: isPossible,
    refetchInterval: () => (isStarted && !isDone ? wait() : false),
  })
  const isNew = decisions.data?.data.length === 0 && decisions.data.next_page_token === undefined
  // This tab keeps the checklist after the first decision, so that the reader sees its end.
  if (isPossible && isNew && !isStarted) {
    sessionStorage.setItem(startedKey, 'yes')
    setStarted(true)
  }
  const isShown = isPossible && isStarted && decisions.data !== undefined
  const agents = useQuery({
    ...read('listAgents', { query: { page_size: 50, include: 'may' } }),
    enabled: isShown,
    refetchInterval: ({ state }) => {
      const agent = firstAgentOf(state.data?.data ?? [])
      return agent && agent.last_heartbeat_at === null ? wait() : false
    },
  })
  const agent = firstAgentOf(agents.data?.data ?? [])
  return {
    /** True until it is known whether the checklist is shown. */
    isLoading: [decisions, passes, denials, agents].some(({ isLoading }) => isLoading),
    isShown: isShown && [agents, passes, denials].every(({ data }) => data !== undefined),
    hide: () => {
      localStorage.setItem(hiddenKey, 'yes')
      setHidden(true)
    },
    agent,
    decisions: decisions.data?.data ?? [],
    pass,
    denial,
    done: doneSteps(agent, { allow: pass, deny: denial }),
  }
}

export type FirstRun = ReturnType<typeof useFirstRun>
