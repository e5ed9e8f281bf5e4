import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const recorder = fileURLToPath(new URL('./record-answers.js', import.meta.url))
let folder: string | undefined

/** Starts recording responses. The projects of one run share one file; the first project reports it. */
export async function setup(): Promise<void> {
  if (process.env.MANDATE_TEST_ANSWERS) return
  folder = await mkdtemp(join(tmpdir(), 'mandate-answers-'))
  process.env.MANDATE_TEST_ANSWERS = join(folder, 'answers.ndjson')
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${recorder}`.trim()
}

/** @throws Error if a response of the run differs from the OpenAPI document */
export async function teardown(): Promise<void> {
  if (!folder) return
  const lines = (await readFile(join(folder, 'answers.ndjson'), 'utf8').catch(() => '')).split('\n').filter(Boolean)
  await rm(folder, { recursive: true, force: true })
  const records = [...new Set(lines)].map((line) => JSON.parse(line) as { answer: string; fault: string | null })
  const kinds = new Set(records.map(({ answer }) => answer))
  const faults = records.filter(({ fault }) => fault !== null)
  console.log(`Responses: ${kinds.size} kinds (operation and status), ${faults.length} differ from openapi.json`)
  if (faults.length === 0) return
  const shown = faults.slice(0, 100).map(({ answer, fault }) => `  ${answer}: ${fault}`)
  throw new Error(`responses that differ from openapi.json:\n${shown.join('\n')}`)
}
