import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { privateFolder, syncFolder } from '../state/private-files.ts'
import type { StateSeal } from '../state/state-seal.ts'

/**
 * The state of a stored profile. `behind`: the control plane announced a different profile. `withdrawn`: the control plane
 * refused the edge or the agent, so the edge denies every call of the agent. The file stays, because the edge needs it to
 * refuse profiles that are older.
 */
export type Mark = 'current' | 'behind' | 'withdrawn'

export interface StoredProfile {
  document: unknown
  mark: Mark
}

/** Stores the last profile of each agent in its signed form. */
export interface ProfileFiles {
  read(agentId: string): Promise<StoredProfile | null>
  /** Stores a profile as the current one. */
  write(agentId: string, document: Record<string, unknown>): Promise<void>
  /**
   * Marks the stored profile as `behind` or `withdrawn` until the next `write`. Never changes `withdrawn` to `behind`. Does
   * nothing if no profile is stored. Only renames the file, so this works on a full disk.
   */
  mark(agentId: string, mark: Exclude<Mark, 'current'>): Promise<void>
}

// The order in which the edge looks for an agent's file. After a crash there may be two files. `current` is the newest, so it
// comes first. `withdrawn` comes before `behind`, because with a withdrawn profile the edge denies every call.
const marks = ['current', 'withdrawn', 'behind'] as const satisfies readonly Mark[]

const folderIn = (seat: string) => join(seat, 'profiles')

/** Reads the stored profile of an agent in a seat of this edge or of another one. */
export async function readStoredProfile(seat: string, seal: StateSeal, agentId: string): Promise<StoredProfile | null> {
  for (const mark of marks) {
    const document = await seal.read(fileIn(folderIn(seat), agentId, mark), nameOf(agentId))
    if (document !== undefined) return { document, mark }
  }
  return null
}

export async function openProfileFiles(seat: string, seal: StateSeal): Promise<ProfileFiles> {
  const folder = await privateFolder(folderIn(seat))
  const fileOf = (agentId: string, mark: Mark) => fileIn(folder, agentId, mark)

  async function removeOthers(agentId: string, kept: Mark): Promise<void> {
    for (const mark of marks) if (mark !== kept) await rm(fileOf(agentId, mark), { force: true })
  }

  return {
    read: (agentId) => readStoredProfile(seat, seal, agentId),
    async write(agentId, document) {
      await seal.replace(fileOf(agentId, 'current'), nameOf(agentId), JSON.stringify(document))
      await removeOthers(agentId, 'current')
    },
    async mark(agentId, mark) {
      const file = fileOf(agentId, mark)
      const isMarked =
        (await renamed(fileOf(agentId, 'current'), file)) ||
        (mark === 'withdrawn' && (await renamed(fileOf(agentId, 'behind'), file)))
      if (!isMarked) return
      await removeOthers(agentId, mark)
      await syncFolder(folder)
    },
  }
}

const fileIn = (folder: string, agentId: string, mark: Mark) =>
  join(folder, mark === 'current' ? `${agentId}.json` : `${agentId}.${mark}.json`)
const nameOf = (agentId: string) => `profile of ${agentId}`

/** Returns false if the file does not exist. */
async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
