import { readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileFault } from '@mandate/edge/file-fault'
import { Failure } from '../../invocation/failure.ts'
import { pathOf } from '../../invocation/invocation.ts'

/** Whether the path ends in `.yaml` or `.yml`, in any case. */
export const isPolicyFile = (path: string) => /\.ya?ml$/i.test(path)

/** The file of expected decisions beside a policy file. */
export const testsOf = (path: string) => path.replace(/\.(ya?ml)$/i, '.test.$1')

const isTestFile = (name: string) => /\.test\.ya?ml$/i.test(name)

/**
 * Replaces each folder by the policy files in it and its subfolders. Each file is in the result once, even if several paths or links
 * lead to it. Leaves out a file of expected decisions if its policy file is given too, as with `policies/*.yaml`.
 * @throws Failure for a folder without policy files
 */
export async function policyPaths(given: readonly string[]): Promise<string[]> {
  const paths: string[] = []
  const tests = new Set(given.map(testsOf))
  for (const path of given) {
    if (tests.has(path) && isTestFile(path)) continue
    if (!(await isFolder(path))) {
      paths.push(path)
      continue
    }
    const found = await filesBelow(path)
    if (found.length === 0) throw new Failure(`the folder ${path} contains no policy files (*.yaml)`)
    paths.push(...found)
  }
  return await distinctPaths(paths)
}

/** Removes every path to a file that an earlier path leads to. */
export async function distinctPaths(paths: readonly string[]): Promise<string[]> {
  const byFile = new Map<string, string>()
  for (const path of paths) {
    const whole = await realpath(pathOf(path)).catch(() => pathOf(path))
    if (!byFile.has(whole)) byFile.set(whole, path)
  }
  return [...byFile.values()]
}

export async function isFolder(path: string): Promise<boolean> {
  return await stat(pathOf(path)).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/**
 * The policy files in a folder and its subfolders, in order, without files of expected decisions. Follows links to folders, and reads each
 * folder once. @param read the real paths of the folders that were read, that of the given folder first
 * @throws Failure for a folder that cannot be read, and for a link to a folder that contains the given folder
 */
export async function filesBelow(folder: string, read = new Set<string>()): Promise<string[]> {
  const whole = await realpath(pathOf(folder))
  if (read.has(whole)) return []
  const [given] = read
  if (given !== undefined && contains(whole, given))
    throw new Failure(`the link ${folder} leads to ${whole}, which contains ${given}: remove the link`)
  read.add(whole)
  const entries = await readdir(whole, { withFileTypes: true }).catch((error: Error) => {
    throw new Failure(`cannot read the folder ${folder}: ${fileFault(error) ?? error.message}`)
  })
  const found: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry
    const path = join(folder, name)
    if (name.startsWith('.') || name === 'node_modules') continue
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path))))
      found.push(...(await filesBelow(path, read)))
    else if (isPolicyFile(name) && !isTestFile(name)) found.push(path)
  }
  return found
}

/** Whether a folder contains another folder. Both paths are real. */
const contains = (outer: string, inner: string) => relative(outer, inner).split(sep)[0] !== '..'
