import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { privateFolder } from '../state/private-files.ts'

/**
 * Records in the state folder which command uses a server name. Rules know a server by its name only, so the same rules would
 * govern two different commands with one name. Words that are paths of existing files are stored as absolute paths.
 * @throws if another command already uses the name
 */
export async function claimServerName(stateDir: string, name: string, command: readonly string[]): Promise<void> {
  await privateFolder(stateDir)
  const folder = await privateFolder(join(stateDir, 'server-names'))
  const file = join(folder, `${name}.sha256`)
  const digest = digestOf(command)
  if (await create(file, digest)) return
  if ((await readFile(file, 'utf8')) === digest) return
  throw new Error(
    `the server name ${name} is taken by another command: give this server another name with --server. If it is the same server with a changed command, delete ${file}`,
  )
}

function digestOf(command: readonly string[]): string {
  const words = command.map((word) => (existsSync(word) ? resolve(word) : word))
  return createHash('sha256').update(JSON.stringify(words)).digest('hex')
}

/**
 * Creates the file with its whole text, so that two edges that start at the same time cannot both create it. Returns false if
 * the file exists.
 */
async function create(file: string, text: string): Promise<boolean> {
  const beside = `${file}.${randomUUID()}.new`
  try {
    await writeFile(beside, text, { flag: 'wx', mode: 0o600 })
    await link(beside, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(beside, { force: true })
  }
}
