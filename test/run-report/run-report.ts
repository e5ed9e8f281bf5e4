import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const shownFiles = 20

/** Prints at the end of a run which test files took the most time, and how many Node processes the run started. */
export class RunReport implements Reporter {
  #folder = ''

  onInit(): void {
    this.#folder = mkdtempSync(join(tmpdir(), 'mandate-run-'))
    const counter = new URL('./count-process.js', import.meta.url)
    counter.searchParams.set('file', this.#processes)
    process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${counter}`.trim()
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ name: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 }))
      .sort((one, other) => other.seconds - one.seconds)
    console.log(`\nThe slowest of ${files.length} test files, in seconds:`)
    for (const { name, seconds } of files.slice(0, shownFiles))
      console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`)
    const started = statSync(this.#processes, { throwIfNoEntry: false })?.size ?? 0
    console.log(`Node processes started: ${started}`)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #processes(): string {
    return join(this.#folder, 'processes')
  }
}
