import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { ArchiveWriter } from './write-archive.ts'

/**
 * Folders that are archived empty. PostgreSQL creates their content again after a restore, but the folders must exist.
 */
const emptied = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]
const skipped = /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|pg_internal\.init.*|pgsql_tmp.*)$/
const controlFile = 'global/pg_control'

/**
 * Adds a consistent copy of a running server's cluster to the archive, under `pg/`. The files may change while they are read.
 * The archive therefore also contains the write-ahead log, and PostgreSQL replays it when the copy first starts. Resolves with
 * the server's version.
 */
export async function copyCluster(archive: ArchiveWriter, cluster: string, ownerUrl: string): Promise<string> {
  // The driver would take what is absent here from PGOPTIONS, PGREPLICATION, PGCLIENT_ENCODING and PGSSLNEGOTIATION.
  const config = {
    connectionString: ownerUrl,
    application_name: 'mandate backup',
    options: '-c statement_timeout=0', // the copy takes long
    replication: 'false',
    client_encoding: 'UTF8',
    sslnegotiation: 'postgres' as const,
  }
  const client = new pg.Client(config)
  client.on('error', () => {}) // after a lost connection, the next query fails and reports it
  await client.connect()
  try {
    await refuseTablespaces(cluster)
    // the replication slot makes PostgreSQL keep the write-ahead log until it is copied; it ends with this session
    await client.query(`select pg_create_physical_replication_slot('mandate_backup_' || pg_backend_pid(), true, true)`)
    await client.query(`select pg_backup_start('mandate', fast => true)`)
    await archive.addDirectory('pg')
    await copyFolder(archive, cluster, '')
    await archive.addBytes(`pg/${controlFile}`, await readControlFile(cluster))
    const stopped = await client.query<{ label: string; map: string; last: string; version: string }>(
      `select labelfile as label, spcmapfile as map, pg_walfile_name(lsn) as last, current_setting('server_version') as version
         from pg_backup_stop(wait_for_archive => false)`,
    )
    const { label, last, version } = stopped.rows[0]!
    await archive.addBytes('pg/backup_label', Buffer.from(label))
    await copyLog(archive, cluster, /\(file ([0-9A-F]{24})\)/.exec(label)?.[1] ?? '', last)
    return version
  } finally {
    await client.end()
  }
}

async function copyFolder(archive: ArchiveWriter, cluster: string, folder: string): Promise<void> {
  for (const entry of await listFolder(join(cluster, folder))) {
    const name = folder ? `${folder}/${entry.name}` : entry.name
    if (skipped.test(entry.name) || name === controlFile) continue
    if (entry.isDirectory()) {
      await archive.addDirectory(`pg/${name}`)
      if (!emptied.includes(name)) await copyFolder(archive, cluster, name)
    } else if (entry.isFile()) {
      await archive.addFile(`pg/${name}`, join(cluster, name))
    }
  }
}

async function copyLog(archive: ArchiveWriter, cluster: string, first: string, last: string): Promise<void> {
  await archive.addDirectory('pg/pg_wal/archive_status')
  await archive.addDirectory('pg/pg_wal/summaries')
  const names = (await readdir(join(cluster, 'pg_wal'))).filter(
    (name) => name.endsWith('.history') || (/^[0-9A-F]{24}$/.test(name) && name >= first && name <= last),
  )
  if (!names.includes(first) || !names.includes(last))
    throw new Error('The write-ahead log of the backup is incomplete; start the backup again')
  for (const name of names) {
    if (!(await archive.addFile(`pg/pg_wal/${name}`, join(cluster, 'pg_wal', name)))) {
      throw new Error(`The write-ahead log file ${name} was deleted during the backup; start the backup again`)
    }
  }
}

/**
 * Reads the control file until two reads in a row return the same bytes, because the server rewrites the file in place.
 */
async function readControlFile(cluster: string): Promise<Buffer> {
  for (let before = Buffer.alloc(0); ; await pause(5)) {
    const now = await readFile(join(cluster, controlFile))
    if (now.equals(before)) return now
    before = now
  }
}

async function refuseTablespaces(cluster: string): Promise<void> {
  if ((await readdir(join(cluster, 'pg_tblspc'))).length) {
    throw new Error('The database has tablespaces outside its data folder, which a backup does not include')
  }
}

async function listFolder(path: string) {
  return readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] // the database of this folder was dropped during the copy
    throw error
  })
}
