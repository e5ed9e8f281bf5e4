import type { Schema } from '@mandate/sdk'
import { useList } from '../../api/use-list.ts'
import { NewRows } from '../../ui/lists/held-rows.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { useStillRows } from '../../ui/lists/still-rows.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { ClockTime } from '../../ui/texts/time.tsx'
import css from './agent.module.css'
import { type Agent, linkOfEvent, toldOf } from './words.ts'

type Event = Schema<'AgentTimelineEvent'>

interface TimelineProps {
  agent: Pick<Agent, 'id' | 'created_at' | 'names'>
  /** Shows only so many events. */
  most?: number
}

/** What happened to the agent, the newest first. */
export function Timeline({ agent, most }: TimelineProps) {
  const { id: agentId } = agent
  const list = useList('getAgentTimeline', { path: { agent_id: agentId } }, { keyOf: keyOfEvent })
  return (
    <ListPart
      list={most === undefined ? list : { ...list, readMore: undefined }}
      empty={<Empty>Nothing happened to the agent so far.</Empty>}
    >
      {(events) => <Events events={events} agent={agent} most={most} of={`${agentId} ${list.isOld}`} />}
    </ListPart>
  )
}

interface EventsProps {
  events: readonly Event[]
  agent: TimelineProps['agent']
  most: number | undefined
  of: string
}

/** The events. New ones wait behind a button, so that nothing moves under the pointer. */
function Events({ events, agent, most, of }: EventsProps) {
  const { shown, waiting, show } = useStillRows(
    events.map((event) => ({ id: keyOfEvent(event), event })),
    of,
  )
  return (
    <>
      <NewRows waiting={waiting} one="event" other="events" show={show} />
      <ol className={css.timeline}>
        {shown.slice(0, most).map(({ id, event }) => (
          <TimelineRow key={id} event={event} agent={agent} />
        ))}
      </ol>
    </>
  )
}

function TimelineRow({ event, agent }: { event: Event; agent: TimelineProps['agent'] }) {
  const { glyph, text, tone } = toldOf(event, agent.created_at)
  const link = linkOfEvent(event, agent.names ?? {})
  const reason = event.details.reason ?? event.details.comment
  return (
    <li data-tone={tone}>
      <ClockTime at={event.at} />
      <Glyph name={glyph} />
      <span>
        <Phrase>{text}</Phrase>
        {link && (
          <>
            {' '}
            <PageLink to={link.to} {...(link.search && { search: link.search })}>
              {link.text}
            </PageLink>
          </>
        )}
        {typeof reason === 'string' && reason !== '' && (
          <span className={css.note}>
            “<ForeignText text={reason} />”
          </span>
        )}
      </span>
    </li>
  )
}

const keyOfEvent = ({ at, details, resource }: Event) => `${at} ${details.event_type} ${resource.id}`
