import { client } from '../api/client.ts'
import { pause, readChanges, tryNow } from './stream.ts'

/** How long the answer to a small call may take. */
const answerMs = 5_000
/** A server that is back has a new stream within this time. */
const backMs = 5_000
const againMs = 20_000

/**
 * Works while no event stream is open, until the signal is aborted: reads at intervals what events would make stale, if the server answers. Calls
 * `tell` with whether it answers.
 */
export async function readWithoutEvents(signal: AbortSignal, tell: (isAnswering: boolean) => void): Promise<void> {
  for (let answers = 0; ; ) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const isAnswering = await client.call('getSession', { signal: limit }).then(
      () => true,
      () => false,
    )
    if (signal.aborted) return
    answers = isAnswering ? answers + 1 : 0
    // After a restart of the server, the stream still waits before its next attempt. So it is tried now.
    if (answers === 1) tryNow()
    else tell(isAnswering)
    if (answers > 1) readChanges()
    await pause(answers === 1 ? backMs : againMs, signal)
    if (signal.aborted) return
  }
}
