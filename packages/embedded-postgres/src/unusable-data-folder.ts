/**
 * Thrown if the embedded database cannot run on this data folder. The message says why and what the operator can do.
 */
export class UnusableDataFolder extends Error {}

/** Returns the error for a data folder whose subfolder `pg` cannot be opened by the bundled PostgreSQL. `reason` says why. */
export function foreignCluster(folder: string, reason: string): UnusableDataFolder {
  return new UnusableDataFolder(
    `the folder ${folder} is not a database of this Mandate: ${reason}. Move it away to start with an empty database, ` +
      'set DATA_DIR to another folder, or restore a backup (docs/operations.md, "Backup and restore")',
  )
}
