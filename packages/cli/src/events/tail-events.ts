import { connectionFault } from '@mandate/edge/http-address'
import type { Client } from '@mandate/sdk/client'
import { type EventOptions, events, type StreamedEvent } from '@mandate/sdk/events'
import { MandateError } from '@mandate/sdk/mandate-error'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { secondsOf } from '../freezes/list-freezes.ts'
import { usageFailure } from '../invocation/failure.ts'
import { counted } from '../output/counted.ts'
import { dataFormat, type OutputOptions } from '../output/format.ts'
import { note, styled } from '../output/note.ts'
import { endWithOutput, print } from '../output/print.ts'
import { jsonLine, printable } from '../output/printable.ts'

export interface TailOptions extends OutputOptions {
  types?: string
  decisions?: string
  count?: string
}

/** Prints events as they happen. */
export async function tailEvents({ types, decisions, count, ...output }: TailOptions): Promise<void> {
  const { client } = await connect()
  await tail(client, { types, decisions, count, output }, lineOf)
}

interface Tail {
  types: string | undefined
  /** `all`, or the id or name of an agent. */
  decisions: string | undefined
  count: string | undefined
  output: OutputOptions
}

/** Prints one line for each event of the operation `streamEvents`. Events for which `show` returns undefined are not printed. */
export async function tail(
  client: Client,
  { types, decisions, count, output }: Tail,
  show: (event: StreamedEvent) => string | undefined,
): Promise<void> {
  if (count !== undefined && !/^[1-9]\d{0,5}$/.test(count))
    throw usageFailure('--count must be a whole number up to 999999')
  const format = dataFormat(output)
  if (format && (format !== 'lines' || output.query !== undefined))
    throw usageFailure('events are printed one by one; use --json without --query')
  let wasOpen = false
  const options: EventOptions = {
    ...(types !== undefined && { types: types.split(',').map((type) => type.trim()) }),
    ...(decisions !== undefined && { decisions: decisions === 'all' ? 'all' : await agentId(client, decisions) }),
    onOpen: () => {
      wasOpen = true
    },
    onClose: ({ error }) => {
      if (error === undefined) return
      // The first connection fails as a request of another command does: the address may be wrong.
      if (!wasOpen) throw error
      const reason = error instanceof MandateError ? error.message : connectionFault(error)
      note(`the connection was lost (${reason}); connecting again`)
    },
  }
  let printed = 0
  endWithOutput()
  for await (const event of events(client, options)) {
    if (event.type === 'reset') note('some events may be missing')
    const line = format ? jsonLine(event) : show(event)
    if (line === undefined || event.type === 'resumed' || event.type === 'reset') continue
    print(line)
    if (++printed === Number(count)) return
  }
}

function lineOf(event: StreamedEvent): string {
  const { at = '', type, resource, agent_id } = event
  const what = resource ? `${printable(resource.type)} ${printable(resource.id)}` : ''
  const of = agent_id !== undefined && agent_id !== resource?.id ? `  agent ${printable(agent_id)}` : ''
  return `${timeOf(at)}  ${styled('bold', printable(type))}  ${what}${of}${moreOf(event)}`
}

function moreOf({ decision, skipped, drill, ...event }: StreamedEvent): string {
  if (decision) return `  ${printable(decision.tool)} ${decision.effect}`
  if (skipped !== undefined) return counted(skipped, 'decision')
  const progress = progressOf(event)
  return `${drill ? '  drill' : ''}${progress ? `  ${progress}` : ''}`
}

/** Says how far a freeze is confirmed, and which edge confirmed it. Undefined for other events. */
function progressOf({ edge, agent, after_ms, confirmed, total }: StreamedEvent): string | undefined {
  const name = edge?.name ?? agent?.name
  const who = name === undefined ? '' : `${printable(name)} after ${secondsOf(after_ms ?? null)}`
  const reach = confirmed == null ? '' : `${confirmed} of ${total} confirmed`
  return [who, reach].filter(Boolean).join(', ') || undefined
}

export const timeOf = (at: string) => `${at.slice(0, 19).replace('T', ' ')}Z`
