import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explain } from '../connection/explain-error.ts'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { styled } from '../output/note.ts'
import { print } from '../output/print.ts'
import { showAuditTrail } from './audit-trail.ts'
import { callAllowed, callDenied, callHeld } from './calls.ts'
import { showDrift } from './drift.ts'
import { governAgents } from './govern.ts'
import { createNarrator } from './narrator.ts'
import { openDashboard } from './open-dashboard.ts'
import { gatherPeople, type People } from './people.ts'
import type { Stage } from './stage.ts'
import { startEdge } from './start-edge.ts'
import { startProcess } from './start-process.ts'

const interruptedCode = 130

export interface DemoOptions {
  /** Waits for Enter before each step. */
  pace?: boolean
  /** Keeps the folder with the data and the logs. */
  keep?: boolean
  /** Ends in the dashboard, which runs until a signal stops the demonstration. */
  open?: boolean
}

/**
 * Runs the demonstration and stops every process that it started.
 * @returns the exit code: 0, or 130 if a signal interrupted the demonstration
 * @throws Failure if a step fails; data and logs are then kept
 */
export async function runDemo({ pace = false, keep = false, open = false }: DemoOptions): Promise<number> {
  if (pace && !invocation().stdin.isTTY) throw usageFailure('--pace needs a terminal')
  const startedMs = performance.now()
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort())
  // If the reader closes the pipe, as `head` does, the demonstration stops too.
  process.stdout.removeAllListeners('error').on('error', () => stopping.abort())
  const { signal } = stopping
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mandate-demo-')))
  const ends: (() => Promise<unknown>)[] = []
  const narrator = createNarrator(pace, signal)
  const stage: Stage = { folder, signal, narrator, atEnd: (end) => void ends.unshift(end) }
  let kept = keep
  let isOpen = false
  try {
    const { url, people } = await Promise.race([walk(stage), aborted(signal)])
    if (open) {
      isOpen = true
      openDashboard(url, people)
      await aborted(signal)
    }
  } catch (error) {
    if (!signal.aborted) {
      kept = true
      throw new Failure(`${narrator.current()}: ${explain(error, false).message}`, { hint: `data and logs: ${folder}` })
    }
  } finally {
    // A cleanup function may fail because its process has already stopped. The other cleanup functions must still run.
    for (const end of ends) await end().catch(() => {})
    if (!kept) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  if (signal.aborted && !isOpen) {
    print('\nInterrupted. Every started process has stopped.')
    return interruptedCode
  }
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  print(`\n${styled('bold', 'Done')} in ${seconds} s; every started process has stopped. ${whatIsLeft(kept, folder)}`)
  return 0
}

async function walk(stage: Stage): Promise<{ url: string; people: People }> {
  print('Starting Mandate on this machine: a control plane, an edge, a file-system server and two agents …')
  const { url } = await startProcess(stage, 'control plane', ['up'], {
    DATA_DIR: stage.folder,
    PORT: '0',
    MANDATE_HEARTBEAT_SECONDS: '1',
  })
  const people = await gatherPeople(stage, String(url))
  const governed = await governAgents(stage, people)
  const behind = await startEdge(stage, String(url), people, governed)
  await callAllowed(stage, people, governed, behind)
  await callDenied(stage, behind)
  await callHeld(stage, people, behind)
  await showDrift(stage, people, governed)
  await showAuditTrail(stage, people)
  return { url: String(url), people }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

function whatIsLeft(kept: boolean, folder: string): string {
  return kept ? `Data and logs are in ${folder}.` : 'Nothing is left behind.'
}
