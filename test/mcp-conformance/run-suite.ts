import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }))

/** Status and error of each check. The key contains the scenario, the check's id and its occurrence number. */
export type Results = ReadonlyMap<string, { status: string; fault: string }>

const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)

/** The results of the last run, and the number of earlier runs that were repeated because a scenario did not end. */
export interface SuiteRun {
  readonly results: Results
  readonly repeats: number
}

const maxRepeats = 2

/**
 * Runs every server scenario that the official suite has for a revision. Repeats the run if a scenario does not end, which happens
 * occasionally with SDK servers, also without an edge.
 * @throws Error if the suite gave no results
 */
export async function runSuite(url: string, revision: string, repeats = 0): Promise<SuiteRun> {
  const results = await runOnce(url, revision)
  const hasEnded = ![...results.keys()].some((key) => key.endsWith(' scenario-timeout'))
  return hasEnded || repeats === maxRepeats ? { results, repeats } : await runSuite(url, revision, repeats + 1)
}

async function runOnce(url: string, revision: string): Promise<Results> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-mcp-conformance-'))
  try {
    const args = [
      suite,
      'server',
      '--url',
      url,
      '--suite',
      'all',
      '--spec-version',
      revision,
      '--timeout',
      '10000',
      '--output-dir',
      folder,
    ]
    await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit')
    return await readResults(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function readResults(folder: string): Promise<Results> {
  const results = new Map<string, { status: string; fault: string }>()
  for (const name of (await readdir(folder)).sort()) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks = Checks.parse(JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')))
    for (const { id, status, errorMessage = '' } of checks) {
      let nth = 1
      while (results.has(keyOf(scenario, id, nth))) nth++
      results.set(keyOf(scenario, id, nth), { status, fault: withoutPorts(errorMessage) })
    }
  }
  if (results.size === 0) throw new Error('the conformance suite gave no results')
  return results
}

const keyOf = (scenario: string, id: string, nth: number) => `${scenario} ${id}${nth > 1 ? ` (${nth})` : ''}`

// Removes port numbers from results before the comparison, because each way uses its own ports.
const withoutPorts = (text: string) => text.replace(/(127\.0\.0\.1|localhost):\d+/g, '$1')
