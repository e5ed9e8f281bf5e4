/** The database has migrations that this version does not know, because a newer version has run on it. */
export class SchemaNewer extends Error {
  constructor(applied: string, known: string) {
    super(
      `the database has the schema of a newer Mandate: it is at ${applied}, and this version knows migrations up to ${known}. ` +
        'Start the newer version, or restore a backup that was made before the upgrade (docs/operations.md, "Upgrading")',
    )
  }
}
