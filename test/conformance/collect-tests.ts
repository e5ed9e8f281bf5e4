import { execFile } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A test of the suite, read from its file. */
export interface SuiteTest {
  /** Path from the root of the repository. */
  file: string
  /** Its title after the titles of its `describe` blocks, joined by ` > `. */
  title: string
  /** The text that rules match: the file without its extension, then the title. */
  address: string
  /** False for a test of the long checks. */
  isInNpmTest: boolean
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

/**
 * Lists the tests of every project. Leaves out skipped and conditional tests. Only parses the files and runs nothing, so it takes
 * seconds.
 */
export async function collectTests(): Promise<SuiteTest[]> {
  const [all, short] = await Promise.all([list(), list('--project', '!load*', '--tags-filter', '!long')])
  const inNpmTest = new Set(short.map(({ name, file }) => `${file} ${name}`))
  return all.map(({ name, file }) => {
    const path = relative(root, file)
    const address = `${path.replace(/(\.db)?\.test\.ts$/, '')} > ${name}`
    return { file: path, title: name, address, isInNpmTest: inNpmTest.has(`${file} ${name}`) }
  })
}

async function list(...options: string[]): Promise<{ name: string; file: string }[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'list', '--json', ...options], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(stdout)
}
