import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Organization } from './tenant.ts'

const main = join(import.meta.dirname, '../../packages/cli/src/main.ts')
const run = promisify(execFile)

/** Gives an organization a plan. Only the operator of the server changes a plan. */
export async function usePlan({ id }: Organization, plan: string): Promise<void> {
  const env = { ...process.env, DATA_DIR: process.env.MANDATE_BROWSER_DATA as string }
  await run(process.execPath, [main, 'operator', 'set-plan', id, plan], { env })
}
