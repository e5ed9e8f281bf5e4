import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid } from '@mandate/contract/fields/is-uuid'
import { z } from 'zod'
import { readJsonFile } from './private-files.ts'

const Stored = z.object({ text: z.string() })
const Profile = z.object({ agent_name: z.string() })

/**
 * Reads the names of agents from the profiles in a state folder: id to name. The files are not verified, so the names only help a person to
 * choose an agent. An agent without a readable profile is left out.
 */
export async function readServedNames(stateDir: string): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const seats = join(stateDir, 'seats')
  for (const seat of await entriesOf(seats)) {
    const folder = join(seats, seat, 'profiles')
    for (const file of await entriesOf(folder)) {
      const id = file.split('.')[0] ?? ''
      const name = isUuid(id) ? await nameIn(join(folder, file)) : undefined
      if (name !== undefined) names.set(id, name)
    }
  }
  return names
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

async function nameIn(file: string): Promise<string | undefined> {
  try {
    const { text } = Stored.parse(await readJsonFile(file))
    return Profile.parse(JSON.parse(text)).agent_name
  } catch {
    return undefined
  }
}
