import type { Command } from 'commander'
import { ownProcess } from '../invocation/invocation.ts'
import { counted } from '../output/counted.ts'
import { print } from '../output/print.ts'

/** Adds `backup` and `restore` for the data folder, which contains the embedded database. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('write the data folder to an archive; works while the server runs')
    .action(async (file: string) => {
      ownProcess()
      const { backup } = await import('@mandate/server/commands/backup')
      const { to, files, bytes } = await backup(file)
      print(`${to}: ${counted(files, 'file')}, ${counted(bytes, 'byte')}`)
    })
  program
    .command('restore <file>')
    .description('restore the data folder from an archive; stop the server first')
    .option('--force', 'replace an existing data folder')
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      ownProcess()
      const { restore } = await import('@mandate/server/commands/restore')
      const { dataDir } = await restore(file, force)
      print(`restored to ${dataDir}`)
    })
}
