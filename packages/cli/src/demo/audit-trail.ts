import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { expectThat } from './expect-that.ts'
import type { People } from './people.ts'
import type { Stage } from './stage.ts'

/** Shows who did what, and verifies that no entry was changed. */
export async function showAuditTrail({ narrator }: Stage, { olivia }: People): Promise<void> {
  await narrator.step('Who did what, and is the audit trail complete?')
  const entries: Schema<'AuditEntry'>[] = []
  for await (const entry of eachOf(olivia, 'listAuditEntries')) entries.unshift(entry)
  const width = Math.max(...entries.map(({ event_type }) => event_type.length))
  for (const { event_type, actor, resource } of entries) {
    const who = actor.name || actor.type
    narrator.say(`${event_type.padEnd(width)}  ${who.padEnd(8)}  ${resource.name || resource.type}`)
  }
  const verdict = await olivia.call('verifyAuditTrail')
  expectThat(verdict.valid, 'the audit trail is valid')
  expectThat(verdict.entries >= entries.length, 'the audit chain contains every printed entry')
  narrator.mark('VERIFIED', `${verdict.entries} entries, each in the hash chain, unaltered`)
}
