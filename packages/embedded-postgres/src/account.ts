import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, chown, lchown, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UnusableDataFolder } from './unusable-data-folder.ts'

/**
 * The account that PostgreSQL runs as. PostgreSQL refuses to run as root.
 * - `self`: the ordinary user of this process.
 * - `other`: an unprivileged account.
 * - `mapped`: root, mapped to an unprivileged user in a user namespace. This is for data folders that no other account can
 * reach.
 */
export type Account =
  | { kind: 'self'; uid: number }
  | { kind: 'other'; uid: number; gid: number; name: string }
  | { kind: 'mapped'; uid: 0 }

/**
 * Chooses the operating-system account that PostgreSQL runs as. If this is an `other` account that cannot enter the data
 * folder, gives the account's group permission to enter it.
 * @throws UnusableDataFolder if the system is not Linux or macOS, or if root starts the process and neither the unprivileged
 * account nor a user namespace can be used for the data folder
 */
export async function chooseAccount(dataDir: string): Promise<Account> {
  const uid = process.getuid?.()
  if (uid === undefined)
    throw new UnusableDataFolder('The embedded database needs Linux or macOS. Set DATABASE_URL instead.')
  if (uid !== 0) return { kind: 'self', uid }
  const account = unprivilegedAccount()
  if (canEnter(account, dirname(dataDir))) {
    if (!canEnter(account, dataDir)) {
      await chown(dataDir, -1, account.gid)
      await chmod(dataDir, ((await stat(dataDir)).mode & 0o7777) | 0o010)
    }
    return account
  }
  if (spawnSync('unshare', ['-U', '--map-user=65534', 'true']).status === 0) return { kind: 'mapped', uid: 0 }
  throw new UnusableDataFolder(
    `PostgreSQL cannot run as root, and the account ${account.name} cannot enter ${dirname(dataDir)}. ` +
      'Choose a data folder outside of it, such as /var/lib/mandate, or start as an ordinary user.',
  )
}

/**
 * Makes the account the owner of a folder and its content, unless the account already owns the folder. The owner of the folder
 * itself changes last. So if the process is interrupted, the next start changes all owners again.
 */
export async function giveTo(account: Account, path: string): Promise<void> {
  if ((await stat(path)).uid === account.uid) return
  if (process.getuid?.() !== 0)
    throw new UnusableDataFolder(
      `${path} belongs to another user. Start Mandate as that user or as root, or set DATA_DIR to another folder.`,
    )
  await giveTree(account.uid, account.kind === 'other' ? account.gid : 0, path)
}

async function giveTree(uid: number, gid: number, path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) await giveTree(uid, gid, inner)
    else await lchown(inner, uid, gid)
  }
  await lchown(path, uid, gid)
}

/**
 * Returns whether the account can enter a folder. Runs a command as the account, so that access control lists are respected
 * too.
 */
export function canEnter(account: Account, folder: string): boolean {
  return passes(account, 'cd "$1"', folder)
}

/** Returns whether the account can run a file. */
export function canRun(account: Account, file: string): boolean {
  return passes(account, 'test -r "$1" && test -x "$1"', file)
}

function passes(account: Account, test: string, path: string): boolean {
  const identity = account.kind === 'other' ? { uid: account.uid, gid: account.gid } : {}
  return spawnSync('/bin/sh', ['-c', test, 'sh', path], { cwd: '/', stdio: 'ignore', ...identity }).status === 0
}

function unprivilegedAccount(): Extract<Account, { kind: 'other' }> {
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid && gid) return { kind: 'other', uid, gid, name }
  }
  return { kind: 'other', uid: 65534, gid: 65534, name: '65534' }
}

function idOf(flag: '-u' | '-g', name: string): number | null {
  try {
    return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    return null
  }
}
