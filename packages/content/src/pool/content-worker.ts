import { parentPort } from 'node:worker_threads'
import { type CompiledContent, compileContent } from '../compile-content.ts'
import { type CompiledPattern, compilePattern } from '../compile-pattern.ts'
import { inspect } from '../inspect/inspect.ts'
import { RecentValues } from '../recent-values.ts'
import { SearchedText } from '../searched-text.ts'
import type { FindAnswer, FindJob, InspectAnswer, InspectJob, Job, WorkerMessage } from './job.ts'

// The entry of a worker thread: does one job at a time, so that long searches do not stop the event loop of the process.

const mostContents = 20
const mostPatterns = 500
const contents = new RecentValues<CompiledContent>(mostContents)
const patterns = new RecentValues<CompiledPattern>(mostPatterns)

const port = parentPort
if (port === null) throw new Error('content-worker.ts runs as a worker thread only')
const send = (message: WorkerMessage) => port.postMessage(message)
const started = () => send({ type: 'started', cpu: process.threadCpuUsage() })

port.on('message', (job: Job) => {
  try {
    send({ type: 'done', answer: job.kind === 'inspect' ? runInspect(job) : runFind(job) })
  } catch (error) {
    send({ type: 'failed', reason: (error as Error).message })
  }
})
send({ type: 'ready' })

function runInspect({ rules, side, value, unchangeable, masks, numbers }: InspectJob): InspectAnswer {
  const compiled = contents.get(JSON.stringify(rules), () => compileContent(rules))[side]
  started()
  if (compiled === null) throw new Error(`nothing is bound for ${side}`)
  return inspect(compiled, value, { unchangeable, masks, numbers })
}

function runFind({ patterns: given, text, most }: FindJob): FindAnswer {
  const compiled = given.map((pattern) => patterns.get(JSON.stringify(pattern), () => compilePattern(pattern)))
  started()
  const searched = new SearchedText(text)
  const found = compiled.flatMap((pattern) =>
    pattern.find(searched).map(({ start, end }) => ({ pattern_id: pattern.definition.id, start, end })),
  )
  return found.sort((one, other) => one.start - other.start || one.end - other.end).slice(0, most)
}
