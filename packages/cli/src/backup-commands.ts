import type { Command } from 'commander'
import { print } from './print.ts'

/** Backup and restore of the embedded database with all that lies beside it. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('write the data folder into an archive, while the server runs or not')
    .action(async (file: string) => {
      const { backup } = await import('@mandate/server/commands/backup')
      const { to, files, bytes } = await backup(file)
      print(`${to}: ${files} files, ${bytes} bytes`)
    })
  program
    .command('restore <file>')
    .description('put an archive’s content into the data folder; the server must be stopped')
    .option('--force', 'replace what is there')
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      const { restore } = await import('@mandate/server/commands/restore')
      const { dataDir } = await restore(file, force)
      print(`restored into ${dataDir}`)
    })
}
