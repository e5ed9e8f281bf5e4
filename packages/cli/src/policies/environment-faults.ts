import { connect } from '../connection/connect.ts'
import { type Environments, environmentId, readEnvironments } from '../find/find-environment.ts'
import { Failure } from '../invocation/failure.ts'
import { note } from '../output/note.ts'
import type { AllFailures } from './all-failures.ts'
import { InvalidPolicyFile, type NamedEnvironment, type PolicyFile } from './files/policy-file.ts'

/** Returns the id of an environment. @throws Failure with the file and the line of the environment, if it is unknown */
export function knownEnvironment({ named, at }: NamedEnvironment, environments: Environments): string {
  try {
    return environmentId(environments, named)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { hint, exitCode } = error
    throw new Failure(`${at} ${error.message}`, { hint, exitCode })
  }
}

/** Returns the environment that a file names, if it is invalid too. Undefined for a policy of all environments. */
export function environmentOf(file: PolicyFile | Failure | undefined): NamedEnvironment | undefined {
  if (file instanceof InvalidPolicyFile) return file.environment
  if (file === undefined || file instanceof Failure || file.content.environment === null) return undefined
  return { named: file.content.environment, at: file.at(['environment']) }
}

/** Adds the unknown environments of the files that are invalid, so that one error does not hide the other. */
export async function addUnknownEnvironments(failures: AllFailures, environments: Environments): Promise<void> {
  const named = failures.all.flatMap((one) => environmentOf(one) ?? [])
  await failures.of(named, async (one) => knownEnvironment(one, environments))
}

const askMs = 5_000

/** Reads the environments, if there is a session or a key. Returns undefined, and says so, if the control plane does not list them. */
export async function askEnvironments(): Promise<Environments | undefined> {
  const connection = await connect().catch((error) => {
    if (!(error instanceof Failure)) throw error
  })
  if (!connection) return undefined
  const found = await readEnvironments(connection.client, AbortSignal.timeout(askMs)).catch(() => undefined)
  if (!found) note('warning: the control plane did not list its environments, so those of the files are not checked')
  return found
}
