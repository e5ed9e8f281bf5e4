import { resolve } from 'node:path'
import { fileFault } from '@mandate/edge/file-fault'
import { EmbeddedInUse } from '@mandate/embedded-postgres/owner-lock'
import { UnusableDataFolder } from '@mandate/embedded-postgres/unusable-data-folder'
import type { Config } from '../config.ts'
import { connectionConfig } from '../db/connections/connection-config.ts'
import { SchemaNewer } from '../db/schema/migrate.ts'
import { StartFailure } from './failure.ts'

/**
 * Explains an error that happened while the server was starting. If the operator can fix the cause, returns a `StartFailure`
 * whose message says what to do. Returns other errors unchanged, and `run.ts` prints them with their stack.
 */
export function explainFailure(error: unknown, config: Pick<Config, 'dataDir' | 'databaseUrl'>): unknown {
  if (error instanceof SchemaNewer || error instanceof EmbeddedInUse || error instanceof UnusableDataFolder) {
    return new StartFailure(error.message)
  }
  const { code, path, cause } = error as NodeJS.ErrnoException & { cause?: { code?: string; message?: string } }
  const fault = fileFault(error)
  const missingRight = [error, cause].find((one) => (one as { code?: unknown } | null)?.code === '42501')
  if (missingRight && config.databaseUrl) return missingRights(config.databaseUrl, (missingRight as Error).message)
  if (fault !== undefined && path !== undefined) {
    const needsRight = code === 'EACCES' || code === 'EPERM'
    return unusableFolder(config, `${fault} (path: ${path})`, needsRight)
  }
  return error
}

function missingRights(databaseUrl: string, message: string): StartFailure {
  const { user, database: name } = connectionConfig(databaseUrl)
  const role = quoted(user ?? 'mandate_owner')
  const database = quoted(name ?? user ?? 'mandate')
  return new StartFailure(
    `the role ${role} of DATABASE_URL lacks a right (${message}). Run as a superuser in the database ${database}:
  create role mandate_app nologin;
  create role mandate_search nologin;
  grant mandate_app, mandate_search to ${role};
  alter database ${database} owner to ${role};
  alter schema public owner to ${role};
If a role already exists, skip its line. See the section "Your own PostgreSQL" in docs/operations.md.`,
  )
}

const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

function unusableFolder({ dataDir }: Pick<Config, 'dataDir'>, reason: string, needsRight: boolean): StartFailure {
  const folder = resolve(dataDir)
  const remedy = needsRight
    ? `The folder must belong to the account that runs Mandate (uid ${process.getuid?.() ?? 'unknown'}) with mode 0700. Change its owner`
    : 'Remove the cause'
  return new StartFailure(
    `the data folder ${folder} cannot be used: ${reason}. ${remedy}, or set DATA_DIR to another folder. ` +
      'See the section "The data folder" in docs/operations.md.',
  )
}
