import { findUndescribed } from '../packages/contract/src/checks/find-undescribed.ts'
import { endpoints } from '../packages/contract/src/endpoints.ts'

/** Part of `npm run lint`: every tag, operation, parameter and property of the API needs a description. */
const undescribed = findUndescribed(endpoints)
for (const sentence of undescribed) console.error(sentence)
if (undescribed.length > 0) {
  console.error(
    `\n${undescribed.length} parts of the API have no description. Add .describe('…') in packages/contract.`,
  )
  process.exitCode = 1
}
