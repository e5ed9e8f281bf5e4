import { execFile } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A test of the suite, as it stands in its file. */
export interface SuiteTest {
  /** From the root of the repository. */
  file: string
  /** With the titles around it, ` > ` between them. */
  title: string
  /** What rules name it by: the file without its ending, then the title. */
  address: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

/**
 * Every test of every project that runs unconditionally: skipped ones are not listed, nor those that run on a condition.
 * The files are read, not run: nothing is started, and it takes seconds.
 */
export async function collectTests(): Promise<SuiteTest[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'list', '--json'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  const listed: { name: string; file: string }[] = JSON.parse(stdout)
  return listed.map(({ name, file }) => {
    const path = relative(root, file)
    return { file: path, title: name, address: `${path.replace(/(\.db)?\.test\.ts$/, '')} > ${name}` }
  })
}
