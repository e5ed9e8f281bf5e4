// Loaded into every Node process of a test run (`--import`). Adds a byte to the file that its address names, for `run-report.ts`.
// Plain JavaScript, because the command line also starts on Node versions that cannot run TypeScript.
import { appendFileSync } from 'node:fs'

const file = new URL(import.meta.url).searchParams.get('file')
try {
  if (file) appendFileSync(file, '.')
} catch {
  // The run has ended, and this process is one of the last.
}
