import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@mandate/sdk/client'
import type { Input, Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { usageFailure } from '../invocation/failure.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { styled } from '../output/note.ts'
import { endWithOutput, print } from '../output/print.ts'
import { jsonLine, printable } from '../output/printable.ts'

type Entry = Schema<'AuditEntry'>
type Query = NonNullable<Input<'listAuditEntries'>['query']>

export interface AuditTailOptions extends OutputOptions {
  follow?: boolean
  lines: string
  eventType?: string
  source?: 'control_plane' | 'edge'
  agent?: string
}

const pollMs = 2_000
// Each poll also reads the last minute before the newest known entry again. An entry gets its timestamp before its transaction
// commits, so an entry may appear later than an entry with a newer timestamp.
const overlapMs = 60_000

/** Prints the newest entries, oldest first. With `follow`, keeps printing each new entry once until it is stopped. */
export async function auditTail({ follow = false, lines, eventType, source, agent, ...output }: AuditTailOptions) {
  const format = dataFormat(output)
  if (follow && format && (format !== 'lines' || output.query !== undefined)) {
    throw usageFailure('--follow prints entries one by one; use --json without --query')
  }
  if (!/^\d{1,5}$/.test(lines)) throw usageFailure('--lines must be a whole number up to 99999')
  const { client } = await connect()
  const query = { event_type: eventType, source, ...(agent && { agent_id: await agentId(client, agent) }) }
  endWithOutput()
  const { newest, seen } = await newestEntries(client, query, Number(lines))
  const show = (entries: Entry[]) => {
    for (const entry of entries) {
      if (seen.has(entry.id)) continue
      seen.set(entry.id, Date.parse(entry.created_at))
      print(format ? jsonLine(entry) : lineOf(entry))
    }
  }
  if (format && !follow) return printData(newest, format, output)
  show(newest)
  while (follow) {
    const latestMs = Math.max(...seen.values())
    for (const [id, ms] of seen) if (ms < latestMs - 2 * overlapMs) seen.delete(id)
    await pause(pollMs)
    show(await entriesSince(client, query, latestMs - overlapMs))
  }
}

/**
 * Reads the newest entries.
 * @returns `newest` is oldest first. `seen` maps the ids of older entries in the overlap window to their times, so that the
 * next poll does not print them.
 */
async function newestEntries(client: Client, query: Query, count: number) {
  const newest: Entry[] = []
  const seen = new Map<string, number>()
  let latestMs: number | undefined
  for await (const entry of eachOf(client, 'listAuditEntries', { query })) {
    const ms = Date.parse(entry.created_at)
    latestMs ??= ms
    if (newest.length < count) newest.push(entry)
    else if (ms >= latestMs - overlapMs) seen.set(entry.id, ms)
    else break
  }
  return { newest: newest.reverse(), seen }
}

/** @param fromMs Unix time in ms; not finite if the trail was empty */
async function entriesSince(client: Client, query: Query, fromMs: number): Promise<Entry[]> {
  const from = Number.isFinite(fromMs) ? { from: new Date(fromMs).toISOString() } : {}
  const found: Entry[] = []
  for await (const entry of eachOf(client, 'listAuditEntries', { query: { ...query, ...from } })) found.push(entry)
  return found.reverse()
}

function lineOf({ created_at, event_type, outcome, actor, resource, details }: Entry): string {
  const who = actor.name || actor.email || actor.type
  const what = resource.name || resource.id || resource.type
  const result = outcome === 'success' ? '' : ` ${styled('red', printable(outcome))}`
  const more = Object.keys(details).length > 0 ? `  ${printable(JSON.stringify(details))}` : ''
  const time = created_at.slice(0, 19).replace('T', ' ')
  return `${time}Z  ${styled('bold', printable(event_type))}${result}  ${printable(what)}  by ${printable(who)}${more}`
}
