import { nameKey } from '@mandate/contract/fields/name-key'
import { Failure } from '../../invocation/failure.ts'
import { printable } from '../../output/printable.ts'
import type { PolicyFile } from './policy-file.ts'

/** A file and the policy id in it. */
export interface FileWithId {
  path: string
  id: string | undefined
}

export const withId = ({ path, content }: PolicyFile): FileWithId => ({ path, id: content.id })

/** Lists the files with the same policy id. Each save would replace the rules of the other file. */
export function sameIdFaults(files: readonly FileWithId[]): string[] {
  return groupsOf(files, ({ id }) => id).map(
    (group) =>
      `${pathsOf(group)} have the same policy id ${group[0]!.id}; a copy becomes a new policy without \`id\` and \`version\`, and with another name`,
  )
}

/** Lists the files with the same name and environment. @param environmentOf identifies the environment of a file */
export function sameNameFaults<T extends PolicyFile>(
  files: readonly T[],
  environmentOf: (file: T) => string | null = ({ content }) => content.environment,
): string[] {
  return groupsOf(files, (file) => JSON.stringify([nameKey(file.content.name), environmentOf(file)])).map(
    (group) =>
      `${pathsOf(group)} have the same name ${printable(group[0]!.content.name)} in the same environment; rename one of the policies`,
  )
}

/** @throws Failure with all faults, if there are any */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Failure(faults.join('\n'))
}

function groupsOf<T>(files: readonly T[], keyOf: (file: T) => string | undefined): T[][] {
  const groups = Map.groupBy(files, keyOf)
  groups.delete(undefined)
  return [...groups.values()].filter((group) => group.length > 1)
}

const pathsOf = (files: readonly { path: string }[]) => files.map(({ path }) => path).join(' and ')
