import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const shownFiles = 20
const longSeconds = 10
const reasonStart = '// May take over 10 s: '

/**
 * Prints a report at the end of a run. It lists the test files that took the most time. It lists the files that took over 10 s and do not say
 * why in their first line. It says how many Node processes the run started.
 */
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
      .map((module) => ({
        name: module.relativeModuleId,
        path: module.moduleId,
        seconds: module.diagnostic().duration / 1000,
      }))
      .sort((one, other) => other.seconds - one.seconds)
    console.log(`\nThe slowest of ${files.length} test files, in seconds:`)
    for (const { name, seconds } of files.slice(0, shownFiles))
      console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`)
    const unexplained = files.filter(({ path, seconds }) => seconds > longSeconds && !hasReason(path))
    for (const { name } of unexplained)
      console.log(`Over ${longSeconds} s, without a reason in its first line: ${name}`)
    const started = statSync(this.#processes, { throwIfNoEntry: false })?.size ?? 0
    console.log(`Node processes started: ${started}`)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #processes(): string {
    return join(this.#folder, 'processes')
  }
}

const hasReason = (path: string) => readFileSync(path, 'utf8').startsWith(reasonStart)
