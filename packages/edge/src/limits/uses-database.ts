import { closeSync, existsSync, linkSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { makePrivateFolder } from '../state/make-folder.ts'

/**
 * The SQLite database in which the edges of one state folder count how often rules were used. SQLite keeps it whole if a process ends
 * in the middle of a write.
 *
 * A database that is damaged, empty or gone is replaced by the next one: `uses-2.sqlite` after `uses-1.sqlite`. Each has a journal with
 * a name of its own, so no process applies the journal of one to another. What was counted before is lost, so the new database says from
 * when on the counts are known.
 */
export class UsesDatabase {
  private readonly connection: DatabaseSync
  private readonly statements = new Map<string, StatementSync>()
  private readonly folder: string
  private readonly number: number
  private readonly inode: number

  private constructor(folder: string, number: number, isSynced: boolean) {
    this.folder = folder
    this.number = number
    const file = fileOf(folder, number)
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) throw new DatabaseDamaged('it is gone')
    this.inode = found.ino
    this.connection = new DatabaseSync(file)
    try {
      const synchronous = isSynced ? 'full' : 'off'
      this.connection.exec(
        `pragma busy_timeout = ${busyMs}; pragma journal_mode = persist; pragma synchronous = ${synchronous}`,
      )
      requireSound(this.connection)
    } catch (error) {
      this.connection.close()
      throw error
    }
  }

  /**
   * Opens the newest database of a folder. Creates the first one in an empty folder.
   * @param lostMs time at which the counts were lost; null if none were
   * @param isSynced whether each write is forced to the disk, so that a power failure loses none
   * @throws DatabaseDamaged; also the errors of SQLite and of the file system
   */
  static open(folder: string, lostMs: number | null, isSynced: boolean): UsesDatabase {
    makePrivateFolder(folder)
    // A journal without its database counts, because the database had uses.
    const newest = newestIn(folder)
    if (newest === 0) create(folder, 1, lostMs ?? 0)
    return explained(() => new UsesDatabase(folder, Math.max(newest, 1), isSynced))
  }

  /** Replaces the newest database, which is damaged. Another process may have replaced it already. */
  static replace(folder: string, lostMs: number): void {
    const newest = newestIn(folder)
    if (newest > 0 && isSound(folder, newest)) return
    create(folder, newest + 1, lostMs)
    for (const name of readdirSync(folder)) {
      const number = numberOf(name)
      if (number !== null && number <= newest) rmSync(join(folder, name), { force: true })
    }
  }

  /** False if the file is gone, or if another process has replaced the database. */
  isCurrent(): boolean {
    const file = statSync(fileOf(this.folder, this.number), { throwIfNoEntry: false })
    const next = statSync(fileOf(this.folder, this.number + 1), { throwIfNoEntry: false })
    return file?.ino === this.inode && next === undefined
  }

  /** Runs `work` alone, as one transaction of all processes. @throws DatabaseDamaged; also the errors of SQLite */
  alone<T>(work: () => T): T {
    return explained(() => {
      this.statement('begin immediate').run()
      try {
        const result = work()
        this.statement('commit').run()
        return result
      } catch (error) {
        if (this.connection.isTransaction) this.connection.exec('rollback')
        throw error
      }
    })
  }

  /** Prepares each text once. Use the result in `alone` or `read`. */
  statement(text: string): StatementSync {
    const known = this.statements.get(text)
    if (known) return known
    const made = this.connection.prepare(text)
    this.statements.set(text, made)
    return made
  }

  /** Runs a read. @throws DatabaseDamaged; also the errors of SQLite */
  read<T>(work: () => T): T {
    return explained(work)
  }

  close(): void {
    this.connection.close()
  }
}

/** Thrown if the content of the database cannot be trusted. */
export class DatabaseDamaged extends Error {
  override readonly name = 'DatabaseDamaged'
}

/** How long a process waits for another one that writes. */
const busyMs = 2000
/** "MdtU" in ASCII. An empty file has 0. */
const applicationId = 0x4d647455
const schema = `
  pragma application_id = ${applicationId};
  create table known (from_ms integer not null) strict;
  create table clock (boot text not null, offset_ms integer not null) strict;
  create table uses (
    agent_id text not null, rule_id text not null, until_ms integer not null, uses integer not null, expires_ms integer not null,
    primary key (agent_id, rule_id, until_ms)
  ) strict, without rowid;
  create index uses_by_expiry on uses (expires_ms);`

const filePattern = /^uses-(\d{1,9})\.sqlite(?:-journal)?$/
const fileOf = (folder: string, number: number) => join(folder, `uses-${number}.sqlite`)

function numberOf(name: string): number | null {
  const found = filePattern.exec(name)
  return found ? Number(found[1]) : null
}

/** Returns the number of the newest database, or 0. */
function newestIn(folder: string): number {
  return readdirSync(folder).reduce((newest, name) => Math.max(newest, numberOf(name) ?? 0), 0)
}

/** Creates a whole database at once. If another process creates it at the same time, the database of that process stays. */
function create(folder: string, number: number, knownFromMs: number): void {
  const beside = join(folder, `new-${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}`)
  // SQLite would make the file readable by everyone.
  closeSync(openSync(beside, 'wx', 0o600))
  try {
    const made = new DatabaseSync(beside)
    try {
      made.exec(schema)
      made.prepare('insert into known (from_ms) values (?)').run(knownFromMs)
    } finally {
      made.close()
    }
    linkSync(beside, fileOf(folder, number))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(beside, { force: true })
  }
}

function isSound(folder: string, number: number): boolean {
  const file = fileOf(folder, number)
  if (!existsSync(file)) return false
  try {
    const database = new DatabaseSync(file)
    try {
      explained(() => requireSound(database))
      return true
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof DatabaseDamaged) return false
    throw error
  }
}

/** @throws DatabaseDamaged; also the errors of SQLite */
function requireSound(database: DatabaseSync): void {
  const id = database.prepare('pragma application_id').get()?.application_id
  const check = database.prepare('pragma quick_check(1)').get()?.quick_check
  if (id !== applicationId || check !== 'ok') throw new DatabaseDamaged(`application id ${id}, check: ${check}`)
  if (database.prepare('select from_ms from known').get() === undefined) throw new DatabaseDamaged('it is incomplete')
}

/** Codes of SQLite: an error of a statement, such as a missing table; a damaged database; not a database. */
const damages: ReadonlySet<number> = new Set([1, 11, 26])

function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string }
    // The lowest byte is the primary code.
    if (errcode === undefined || !damages.has(errcode & 0xff)) throw error
    throw new DatabaseDamaged(message)
  }
}
