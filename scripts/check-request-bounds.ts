import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findUnbounded } from '../packages/contract/src/checks/find-unbounded.ts'

/**
 * Part of `npm run lint`: every array, record and string of a request schema needs a maximum size. Takes the module that exports
 * `endpoints`; the contract's own by default. Exits with 1 if a field has no maximum.
 */
const [given] = process.argv.slice(2)
const table = given
  ? pathToFileURL(resolve(given)).href
  : new URL('../packages/contract/src/endpoints.ts', import.meta.url).href
const { endpoints } = await import(table)
const unbounded = findUnbounded(endpoints)
for (const sentence of unbounded) console.error(sentence)
if (unbounded.length > 0) {
  console.error(
    `\n${unbounded.length} request fields have no maximum size. Give strings text({ max }), arrays .max(n), records boundedRecord().`,
  )
  process.exitCode = 1
}
