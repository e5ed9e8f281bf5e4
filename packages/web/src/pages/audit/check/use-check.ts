import { useEffect, useRef, useState } from 'react'
import { client } from '../../../api/client.ts'
import type { Entry } from '../entry-sentence.ts'
import type { Outcome } from './check-export.ts'
import { periodOf } from './period.ts'
import { readExport } from './read-export.ts'

/** What a check has found so far. */
export interface CheckState {
  /** How many lines of the export are checked, and how many there are. Undefined while the export is read. */
  progress?: { checked: number; lines: number }
  result?: Result
  error?: Error
}

export interface Result {
  outcome: Outcome
  /** When the check ended. */
  at: string
  /** The export that was checked, byte by byte. */
  file: Blob
  /** Count of entries of the list that are too old for a check in the browser. */
  left: number
}

/** Checks the entries of the list. A check and its result end with the page, with the next check, and with another list: `of` names its filters. */
export function useCheck(tenantId: string, of: string) {
  const [state, setState] = useState<CheckState>()
  const running = useRef<AbortController>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list ends the check
  useEffect(
    () => () => {
      running.current?.abort()
      setState(undefined)
    },
    [of],
  )

  const check = async (shown: readonly Entry[]) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    setState({})
    try {
      const { from, to, entries, left } = periodOf(shown)
      const [{ checkExport }, { keys }, { chunks, lines }] = await Promise.all([
        import('./check-export.ts'),
        client.call('getSigningKey', { signal }),
        readExport({ from, to }, signal),
      ])
      const outcome = await checkExport({ chunks, keys, tenantId, shown: entries }, async (checked) => {
        setState({ progress: { checked, lines } })
        await breathe()
        signal.throwIfAborted()
      })
      const file = new Blob(chunks, { type: 'application/x-ndjson' })
      if (!signal.aborted) setState({ result: { outcome, at: new Date().toISOString(), file, left } })
    } catch (error) {
      if (!signal.aborted) setState({ error: error as Error })
      // The export may still be on its way.
      controller.abort()
    }
  }
  return { state, check, isRunning: state !== undefined && !state.result && !state.error }
}

/** Lets the page paint and react. Unlike a timer, this is not slowed down in a tab in the background. */
function breathe(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
