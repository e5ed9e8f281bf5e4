import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { privateFolder, readJsonFile, replaceFile, syncFolder } from '../state/private-files.ts'

/** The last profile of each agent, as it was signed. */
export interface ProfileFiles {
  read(agentId: string): Promise<unknown>
  write(agentId: string, document: Record<string, unknown>): Promise<void>
  /** Takes the profile away until the next is written. Without one, does nothing. */
  withdraw(agentId: string): Promise<void>
  /** The profile taken away: nothing to decide by, but none older may follow it. */
  readWithdrawn(agentId: string): Promise<unknown>
}

export async function openProfileFiles(seat: string): Promise<ProfileFiles> {
  const folder = await privateFolder(join(seat, 'profiles'))
  const fileOf = (agentId: string) => join(folder, `${agentId}.json`)
  const withdrawnOf = (agentId: string) => join(folder, `${agentId}.withdrawn.json`)
  return {
    read: (agentId) => readJsonFile(fileOf(agentId)),
    async write(agentId, document) {
      await replaceFile(fileOf(agentId), JSON.stringify(document))
      await rm(withdrawnOf(agentId), { force: true })
    },
    async withdraw(agentId) {
      try {
        await rename(fileOf(agentId), withdrawnOf(agentId))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
        throw error
      }
      await syncFolder(folder)
    },
    readWithdrawn: (agentId) => readJsonFile(withdrawnOf(agentId)),
  }
}
